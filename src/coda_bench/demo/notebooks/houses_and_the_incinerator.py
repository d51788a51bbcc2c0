# %% [markdown]
# # Houses near the incinerator
# %%
import pandas as pd

kielmc = pd.read_csv("../input/house-prices-and-rents/kielmc.csv")
table = kielmc.pivot_table(index="nearinc", columns="y81", values="rprice", aggfunc="mean").round(1)
table
# %%
effect = (table.loc[1, 1] - table.loc[0, 1]) - (table.loc[1, 0] - table.loc[0, 0])
print("difference in differences:", round(effect, 1))
