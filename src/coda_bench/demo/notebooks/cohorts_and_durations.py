# %% [markdown]
# # Cohorts and durations
# %%
import pandas as pd

actg = pd.read_csv("../input/survival-cohorts/ACTG175.csv")
waltons = pd.read_csv("../input/durations-and-censoring/waltons_dataset.csv")
births = pd.read_csv("../input/births-and-health-habits/bwght.csv")
# %%
actg.groupby("arms")["cens"].mean().round(4)
# %%
waltons.groupby("group")["T"].median()
# %%
print("birth weight of smokers' children:", births.loc[births["cigs"] > 0, "bwght"].mean().round(2))
