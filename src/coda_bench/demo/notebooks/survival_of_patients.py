# %% [markdown]
# # Survival in two studies
# %%
import pandas as pd

lung = pd.read_csv("../input/survival-cohorts/lung.csv")
larynx = pd.read_csv("../input/survival-cohorts/larynx.csv")
# %%
lung.groupby("sex")["time"].agg(["size", "median"])
# %%
stages = {"II": "Stage_II", "III": "Stage_III", "IV": "Stage_IV"}
for stage, column in stages.items():
    print(stage, larynx.loc[larynx[column] == 1, "time"].median())
