# %% [markdown]
# # Minutes of sleep a week
# %%
import pandas as pd

sleep = pd.read_csv("../input/married-women-at-work/sleep75.csv")
sleep[["sleep", "totwrk"]].describe().round(1)
# %%
slope = sleep["sleep"].cov(sleep["totwrk"]) / sleep["totwrk"].var()
print(f"an hour of work costs {-60 * slope:.2f} minutes of sleep")
# %%
sleep.groupby("male")["sleep"].median()
