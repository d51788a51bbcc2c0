# %% [markdown]
# # Returns to schooling
# A year of school in the census, and in the sample of men who grew up near colleges.

# %%
import numpy as np
import pandas as pd

census = pd.read_parquet("../input/census-earnings-by-area/census2000.parquet")
card = pd.read_csv("../input/wages-ability-and-schooling/card.csv")

# %%
slope = np.polyfit(census["educ"], census["lweekinc"], 1)[0]
print(f"census: {100 * slope:.2f} % a year of school")
slope = np.polyfit(card["educ"], card["lwage"], 1)[0]
print(f"men near colleges: {100 * slope:.2f} % a year of school")

# %%
card.groupby("nearc4")["educ"].agg(["mean", "count"]).round(3)

# %%
census.groupby("state")["lweekinc"].mean().sort_values().tail(3).round(3)
