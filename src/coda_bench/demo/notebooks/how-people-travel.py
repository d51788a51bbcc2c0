# %% [markdown]
# # How people travel between cities

# %%
import pandas as pd

trips = pd.read_csv("../input/travel-choices/modechoice.csv", sep=";")
trips.columns = trips.columns.str.strip()
names = {1: "air", 2: "train", 3: "bus", 4: "car"}
trips["mode"] = trips["mode"].map(names)

# %%
chosen = trips[trips["choice"] == 1]
chosen["mode"].value_counts(normalize=True).round(4)

# %%
trips.groupby("mode")[["ttme", "invc", "invt"]].mean().round(2)

# %%
chosen.groupby("mode")["hinc"].median().sort_values()
