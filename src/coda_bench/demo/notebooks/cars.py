# %% [markdown]
# # Cars and fuel
# %%
import pandas as pd

mpg = pd.read_csv("../input/fuel-economy-by-model/auto-mpg.csv")
cars = pd.read_json("../input/car-models/cars.json")
# %%
mpg.groupby("cyl")["mpg"].agg(["size", "mean"]).round(2)
# %%
cars.groupby("Origin")["Miles_per_Gallon"].median()
