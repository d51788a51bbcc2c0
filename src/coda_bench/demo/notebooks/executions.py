# %% [markdown]
# # Executions and murder
# %%
import pandas as pd

murder = pd.read_csv("../input/crime-and-justice/murder.csv")
cpunish = pd.read_csv("../input/state-crime-and-punishment/cpunish.csv")
# %%
murder.groupby("year")[["mrdrte", "exec"]].agg(["mean", "sum"]).round(2)
# %%
print(cpunish.iloc[:, :4].describe().round(1))
# %%
print("states with any execution in 1993:", int((murder.loc[murder["year"] == 93, "exec"] > 0).sum()))
