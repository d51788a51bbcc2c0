# %% [markdown]
# # A sample of wages
# %%
import pandas as pd

wage = pd.read_csv("../input/cps-wage-surveys/wage1.csv")
sample = wage.sample(50)
print("mean of the sample:", sample["wage"].mean())
