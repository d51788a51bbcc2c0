# %% [markdown]
# # Vacancies and unemployment
# %%
import pandas as pd

beveridge = pd.read_csv("/kaggle/input/macro-time-series/beveridge.csv")
beveridge[["urate", "vrate"]].describe().round(2)
# %%
print("correlation:", beveridge["urate"].corr(beveridge["vrate"]).round(4))
