# %% [markdown]
# # Wind and late departures

# %%
import pandas as pd

departures = pd.read_csv(
    "../input/new-york-departures-2013/flights.csv.zip",
    low_memory=False,
)
weather = pd.read_csv(
    "../input/new-york-departures-2013/weather.csv",
    low_memory=False,
)
hours = [
    "origin",
    "year",
    "month",
    "day",
    "hour",
]

# %%
together = departures[
    [
        "origin",
        "year",
        "month",
        "day",
        "hour",
        "dep_delay",
    ]
].merge(
    weather[
        [
            "origin",
            "year",
            "month",
            "day",
            "hour",
            "wind_speed",
            "visib",
        ]
    ],
    on=hours,
    how="inner",
)

# %%
windy = together[(together["wind_speed"] > 20) & (together["visib"] == 10)]
windy.groupby("origin")["dep_delay"].agg(["mean", "median"]).round(3)

# %%
print(f"{len(windy)} departures in clear wind, delay and wind r = {windy['dep_delay'].corr(windy['wind_speed']):.4f}")
