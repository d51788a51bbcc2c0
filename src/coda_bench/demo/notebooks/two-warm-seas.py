# %% [markdown]
# # Two warm seas

# %%
import pandas as pd

pacific = pd.read_csv("../input/climate-and-sun/elnino.csv", index_col="YEAR")
buoy = pd.read_csv("../input/weather-stations/sea_surface_temperature.csv.gz", index_col=0, parse_dates=True)
buoy.columns = ["celsius"]
print("Pacific:", pacific.shape, "buoy:", len(buoy))

# %%
pacific.mean().round(2).sort_values().tail(3)

# %%
monthly = buoy.groupby(buoy.index.month)["celsius"].mean()
print("warmest month of the buoy:", monthly.idxmax(), f"with {monthly.max():.3f} degrees")

# %%
swing = {"Pacific": pacific.mean().max() - pacific.mean().min(), "buoy": monthly.max() - monthly.min()}
for sea, degrees in swing.items():
    print(f"{sea}: {degrees:.2f} degrees between the coldest and the warmest month")

# %%
decade = pacific.mean(axis=1).groupby(pacific.index // 10 * 10).mean().round(3)
decade
