# %% [markdown]
# # Who joins a 401(k)
# %%
import pandas as pd

plans = pd.read_csv("../input/retirement-saving/401k.csv")
people = pd.read_csv("../input/retirement-saving/401ksubs.csv")
fringe = pd.read_csv("../input/cps-wage-surveys/fringe.csv")
# %%
print(f"average participation: {plans['prate'].mean():.2f} %")
# %%
people.groupby("e401k")["nettfa"].agg(["size", "mean"]).round(3)
# %%
fringe.groupby("union")["pension"].mean().round(2)
