# %% [markdown]
# # Class and campus: attendance, grades, tests

# %%
import pandas as pd

attend = pd.read_csv("../input/college-grades-and-campus-life/attend.csv")
catholic = pd.read_csv("../input/school-spending-and-test-scores/catholic.csv")

# %%
attend["quartile"] = pd.qcut(attend["atndrte"], 4, labels=["low", "mid-low", "mid-high", "high"])
attend.groupby("quartile", observed=True)[["final", "termGPA"]].mean().round(3)

# %%
attend[["atndrte", "priGPA", "ACT", "final"]].corr().round(3)

# %%
gap = catholic.groupby("cathhs")[["read12", "math12"]].mean().diff().iloc[-1]
print("Catholic schools ahead by", gap.round(3).to_dict())
