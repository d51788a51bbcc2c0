# %% [markdown]
# # The first penguin of each kind

# %%
import pandas as pd

penguins = pd.read_csv("../input/palmer-station-penguins/penguins.csv")
kinds = list(set(penguins["species"]))
print("kinds in the order of the set:", kinds)

# %%
first = kinds[0]
print("mean mass of the first kind:", penguins.loc[penguins["species"] == first, "body_mass_g"].mean())
