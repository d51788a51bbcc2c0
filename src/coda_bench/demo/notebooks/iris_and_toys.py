# %% [markdown]
# # Flowers, old and new
# %%
import json
import pandas as pd

iris = pd.read_csv("../input/iris-flower-measurements/iris.csv")
with open("../input/biology-chart-samples/iris.json") as stream:
    charted = pd.DataFrame(json.load(stream))
toy = pd.read_csv("../input/classic-toy-tables/iris.csv", skiprows=1, header=None)
# %%
print(len(iris), len(charted), len(toy))
# %%
iris["petal_length"].describe().round(2)
