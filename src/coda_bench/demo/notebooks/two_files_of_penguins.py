# %% [markdown]
# # Are two files of penguins the same?
# %%
import pandas as pd

one = pd.read_csv("../input/palmer-station-penguins/penguins.csv")
other = pd.read_csv("../input/penguin-size-measurements/penguins.csv")
iris = pd.read_csv("../input/iris-flower-measurements/iris.csv")
# %%
print(len(one), len(other), len(iris))
# %%
print("bill of Gentoo:", *(table.loc[table["species"] == "Gentoo", "bill_length_mm"].mean().round(3)
                           for table in (one, other)))
# %%
iris.groupby("species").mean().round(2)
