# %% [markdown]
# # Three lists of airports
# The same file name in three data sets, with different columns and coverage.

# %%
import pandas as pd

ny = pd.read_csv("/kaggle/input/new-york-departures-2013/airports.csv")
world = pd.read_csv("/kaggle/input/airline-route-map/airports.csv")
fields = pd.read_csv("/kaggle/input/us-airfields/airports.csv")
{"new york": ny.shape, "world": world.shape, "us": fields.shape}

# %%
world["Country"].value_counts().head(5)

# %%
high = world.sort_values("Altitude", ascending=False)[["Name", "Country", "Altitude"]].head(3)
high

# %%
shared = set(ny["faa"]) & set(fields["iata"])
print(len(shared), "codes stand in both American lists")
print(f"that is {100 * len(shared) / len(ny):.1f} % of the New York list")

# %%
fields.groupby("state").size().sort_values(ascending=False).head(4)
