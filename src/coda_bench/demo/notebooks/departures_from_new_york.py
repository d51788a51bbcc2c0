# %% [markdown]
# # Departures from New York, 2013
# %%
import pandas as pd

flights = pd.read_csv("../input/new-york-departures-2013/flights.csv.zip")
airlines = pd.read_csv("../input/new-york-departures-2013/airlines.csv")
# %%
late = flights.groupby("carrier")["dep_delay"].mean().round(2).rename("delay").reset_index()
late.merge(airlines, on="carrier").sort_values("delay", ascending=False).head()
# %%
print("flights in July:", int((flights["month"] == 7).sum()))
