# %% [markdown]
# # Rain in Seattle, heat in Lincoln

# %%
import pandas as pd

seattle = pd.read_csv("../input/west-coast-weather/seattle-weather.csv", parse_dates=["date"])
lincoln = pd.read_csv("../input/weather-stations/lincoln_weather.csv", parse_dates=["DATE"])

# %%
seattle["weather"].value_counts()

# %%
wet = (seattle["precipitation"] > 0).mean()
print(f"It rains on {100 * wet:.1f} % of days in Seattle")

# %%
seattle.groupby(seattle["date"].dt.month)["precipitation"].sum().nlargest(3).round(1)

# %%
hot = lincoln.loc[lincoln["TMAX"].idxmax()]
print("Hottest day in Lincoln:", hot["DATE"].date(), "with", hot["TMAX"], "degrees")
