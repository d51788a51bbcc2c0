# %% [markdown]
# # How even is an orchard?
# %%
import pandas as pd

names = ["apple", "grape", "peach", "tomato"]
for name in names:
    trees = pd.read_csv("../input/orchard-and-forest-trials/" + name + "_uniformity.csv")
    print(name, round(trees["yield"].std() / trees["yield"].mean(), 4))
# %%
wheat = pd.read_csv("../input/field-crop-trials/wheat_splitsplit.csv")
wheat.groupby("inoc")["yield"].mean().round(2)
