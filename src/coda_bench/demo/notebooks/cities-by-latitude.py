# %% [markdown]
# # Cities by latitude

# %%
import pandas as pd

cities = pd.read_csv("../input/cities-of-the-world/world_cities.csv.gz")
len(cities)

# %%
south = (cities["lat"] < 0).mean()
print(f"{100 * south:.2f} % of the cities lie south of the equator")

# %%
cities.loc[[cities["lat"].idxmax(), cities["lat"].idxmin()], ["name", "lat"]]

# %%
cities["name"].value_counts().head(3)
