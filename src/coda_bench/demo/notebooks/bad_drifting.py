# %% [markdown]
# # Filled in place
# %%
import pandas as pd

penguins = pd.read_csv("../input/palmer-station-penguins/penguins.csv")
penguins["body_mass_g"].fillna(0, inplace=True)
print("mean mass:", round(penguins["body_mass_g"].mean(), 2))
