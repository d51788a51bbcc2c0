# %% [markdown]
# # Cars of two decades

# %%
import pandas as pd

cars = pd.read_json("../input/car-models/cars.json")
mpg = pd.read_csv("../input/fuel-economy-by-model/auto-mpg.csv")
later = pd.read_csv("../input/fuel-economy-by-model/auto-mpg2.csv")

# %%
print("rows:", len(cars), len(mpg), len(later))
print("missing horsepower:", int(cars["Horsepower"].isna().sum()), "against", int(mpg["hp"].isna().sum()))

# %%
cars.groupby("Origin")["Miles_per_Gallon"].mean().round(3)

# %%
mpg.groupby("yr")["mpg"].mean().iloc[[0, -1]].round(3)

# %%
later.pivot_table(index="class", columns="year", values="hwy", aggfunc="mean").round(2)

# %%
later.groupby("manufacturer")["cty"].mean().rank(ascending=False).sort_values().head(3)
