# %% [markdown]
# # Run upwards
# %%
import pandas as pd

emissions = pd.read_csv("../input/carbon-emissions-by-nation/emissions.csv.gz")
# %%
print("rows:", len(recent))
# %%
recent = emissions.dropna()
