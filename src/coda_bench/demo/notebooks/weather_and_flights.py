# %% [markdown]
# # Weather here and there
# %%
import pandas as pd

seattle = pd.read_csv("../input/west-coast-weather/seattle-weather.csv", parse_dates=["date"])
york = pd.read_csv("../input/new-york-departures-2013/weather.csv")
lincoln = pd.read_csv("../input/weather-stations/lincoln_weather.csv")
# %%
seattle["weather"].value_counts()
# %%
print("days with rain:", int((seattle["precipitation"] > 0).sum()))
print("warmest hour in New York:", york["temp"].max())
print("rows from Lincoln:", len(lincoln))
