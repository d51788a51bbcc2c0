# %% [markdown]
# # Output of an older file
# %%
import pandas as pd

sprint = pd.read_csv("../input/olympic-results/sprint.csv", skipinitialspace=True)
print("runs:", len(sprint))
