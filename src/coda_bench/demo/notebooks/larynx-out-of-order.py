# %% [markdown]
# # Larynx cancer by stage

# %%
import pandas as pd

larynx = pd.read_csv("../input/survival-cohorts/larynx.csv")
len(larynx)

# %%
larynx["stage"] = larynx["stage"].replace({"I": 1, "II": 2, "III": 3, "IV": 4})
larynx.groupby("stage")["time"].median()

# %%
stages = ["Stage_II", "Stage_III", "Stage_IV"]
larynx["stage"] = larynx[stages].idxmax(axis=1).str.removeprefix("Stage_").where(larynx[stages].any(axis=1), "I")
larynx["stage"].value_counts()
