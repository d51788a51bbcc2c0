# %% [markdown]
# # What a seat costs: fares and concentration of routes

# %%
from os.path import join

import pandas as pd

fares = pd.read_csv(join("..", "input", "air-fares-and-traffic", "airfare.csv"))

# %%
fares.groupby("year")["fare"].mean().round(2)

# %%
print("routes:", fares["id"].nunique())
print("fare and distance, r = %.4f" % fares["fare"].corr(fares["dist"]))

# %%
fares["dominated"] = pd.cut(fares["bmktshr"], [0, 0.4, 0.7, 1.0], labels=["open", "middle", "dominated"])
fares.groupby("dominated", observed=True)["fare"].agg(["median", "size"])
