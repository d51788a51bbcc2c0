# %% [markdown]
# # Late departures from New York in 2013

# %%
import pandas as pd

flights = pd.read_csv("/kaggle/input/new-york-departures-2013/flights.csv.zip")
airlines = pd.read_csv("/kaggle/input/new-york-departures-2013/airlines.csv")
flights.shape

# %%
late = flights.groupby("origin")["dep_delay"].mean().round(3)
late

# %%
by_carrier = flights.groupby("carrier")["arr_delay"].mean().sort_values(ascending=False)
worst = airlines.set_index("carrier").loc[by_carrier.index[0], "name"]
print(f"Worst carrier: {worst} with {by_carrier.iloc[0]:.2f} minutes on average")

# %%
cancelled = flights["dep_time"].isna().mean()
print(f"cancelled: {100 * cancelled:.2f} %")

# %%
flights.groupby("month").size().idxmax()
