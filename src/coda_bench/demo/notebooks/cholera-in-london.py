# %% [markdown]
# # Cholera in London, 1849 and 1854

# %%
import pandas as pd

snow = pd.read_stata("../input/epidemiology-follow-up/snow.dta")
snow

# %%
wide = snow.pivot(index="supplier", columns="year", values="deathrate")
change = wide.iloc[:, -1] - wide.iloc[:, 0]
print("difference in differences:", round(change.iloc[1] - change.iloc[0], 2))

# %%
hiv = pd.read_stata("../input/epidemiology-follow-up/thornton_hiv.dta")
print(f"{100 * hiv['got'].mean():.1f} % learnt their result")
