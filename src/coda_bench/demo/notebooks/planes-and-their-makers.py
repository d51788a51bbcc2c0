# %% [markdown]
# # Planes and their makers

# %%
import pandas as pd

data = "new-york-departures-2013"
planes = pd.read_csv(f"../input/{data}/planes.csv")
weather = pd.read_csv(f"../input/{data}/weather.csv")

# %%
planes["manufacturer"].value_counts().head(4)

# %%
planes["year"].describe().round(2)

# %%
print("oldest plane was built in", int(planes["year"].min()))
print("planes with more than 300 seats:", int((planes["seats"] > 300).sum()))

# %%
weather.groupby("origin")[["temp", "wind_speed"]].mean().round(3)
