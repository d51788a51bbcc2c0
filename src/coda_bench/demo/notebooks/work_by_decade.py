# %% [markdown]
# # Work and marriage by decade
# %%
import pandas as pd

jobs = pd.read_csv("../input/us-social-statistics/unemployment1948.csv")
marriages = pd.read_csv("../input/us-social-statistics/us_marriages_divorces.csv")
employment = pd.read_csv("../input/tech-stocks-monthly/us-employment.csv")
# %%
jobs["decade"] = jobs["Year"] // 10 * 10
jobs.groupby("decade")["Annual"].mean().round(2)
# %%
print("most marriages per thousand:", marriages["Marriages_per_1000"].max())
print(employment["nonfarm"].iloc[-1])
