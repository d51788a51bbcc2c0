# %% [markdown]
# # Butterfat, twice on the disk
# %%
import pandas as pd

cows = pd.read_csv("../input/elements-and-minerals/cows.csv")
cattle = pd.read_csv("../input/livestock-and-wildlife/cattle_butterfat.csv")
# %%
print("same mean:", cows["butterfat"].mean().round(4) == cattle["Butterfat"].mean().round(4))
# %%
cows.groupby(["breed", "age"])["butterfat"].mean().unstack().round(3)
