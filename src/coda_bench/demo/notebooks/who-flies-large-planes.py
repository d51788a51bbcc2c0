# %% [markdown]
# # Who flies large planes?
# Departures joined with the planes that flew them and with the names of the airlines.

# %%
import pandas as pd

flights = pd.read_csv(
    "../input/new-york-departures-2013/flights.csv.zip",
    low_memory=False,
)
planes = pd.read_csv(
    "../input/new-york-departures-2013/planes.csv",
    low_memory=False,
)
airlines = pd.read_csv(
    "../input/new-york-departures-2013/airlines.csv",
    low_memory=False,
)

# %%
flown = flights.merge(
    planes[
        [
            "tailnum",
            "seats",
            "engines",
        ]
    ],
    on="tailnum",
    how="inner",
).merge(
    airlines,
    on="carrier",
    how="inner",
)
flown["speed"] = 60 * flown["distance"] / flown["air_time"]
large = flown[(flown["seats"] > 150) & (flown["distance"] > 1000) & (flown["engines"] == 2)]

# %%
large.groupby("name")["speed"].mean().round(2).sort_values(ascending=False).head(5)

# %%
print("mean delay of large planes on arrival:", round(large["arr_delay"].mean(), 3))
