# %% [markdown]
# # Order of a set
# %%
import pandas as pd

mpg = pd.read_csv("../input/fuel-economy-by-model/auto-mpg2.csv")
print(list(set(mpg["manufacturer"]))[0])
