# %% [markdown]
# # Lymph nodes and hormones

# %%
import pandas as pd

trial = pd.read_csv("../input/survival-cohorts/gbsg2.csv")
trial["horTh"].value_counts()

# %%
trial.groupby("horTh")["cens"].mean().mul(100).round(2)

# %%
trial.groupby("tgrade")[["pnodes", "time"]].median()

# %%
print("mean tumour size in mm: %.3f" % trial["tsize"].mean())
