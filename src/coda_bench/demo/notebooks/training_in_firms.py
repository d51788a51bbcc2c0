# %% [markdown]
# # Hours of training in firms
# %%
import pandas as pd

firms = pd.read_csv("../input/job-training-programmes/jtrain.csv.bz2")
# %%
firms.groupby(["year", "grant"])["hrsemp"].mean().unstack().round(2)
# %%
print("scrap rate, median:", firms["scrap"].median())
