# %% [markdown]
# # Airports of three files
# %%
import pandas as pd

ours = pd.read_csv("../input/new-york-departures-2013/airports.csv")
routes = pd.read_csv("../input/airline-route-map/airports.csv")
fields = pd.read_csv("../input/us-airfields/airports.csv")
# %%
print(len(ours), len(routes), len(fields))
# %%
common = set(ours["faa"]) & set(routes["IATA"].dropna()) & set(fields["iata"])
print("in all three:", len(common))
# %%
fields["state"].value_counts().head(3)
