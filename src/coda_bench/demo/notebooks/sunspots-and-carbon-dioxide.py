# %% [markdown]
# # Sunspots and carbon dioxide

# %%
import pandas as pd

spots = pd.read_csv("../input/climate-and-sun/sunspots.csv")
co2 = pd.read_csv("../input/climate-and-sun/co2.csv")
print("sunspots from", spots["YEAR"].min(), "to", spots["YEAR"].max())
print("weeks of carbon dioxide:", len(co2))

# %%
spots.nlargest(3, "SUNACTIVITY").set_index("YEAR")["SUNACTIVITY"]

# %%
year = co2["date"].astype(str).str[:4].astype(int)
yearly = co2.groupby(year)["co2"].mean()
rise = yearly.diff().mean()
print(f"carbon dioxide rises by {rise:.3f} ppm a year")

# %%
nile = pd.read_csv("../input/climate-and-sun/nile.csv")
nile.groupby(nile["year"] > 1898)["volume"].mean().round(2)
