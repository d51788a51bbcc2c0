# %% [markdown]
# # Demand for fish and apples
# %%
import pandas as pd

fish = pd.read_csv("../input/consumers-and-shops/fish.csv")
apple = pd.read_csv("../input/consumers-and-shops/apple.csv")
# %%
print("price and quantity of fish:", fish["lavgprc"].corr(fish["ltotqty"]).round(4))
# %%
apple.groupby("ecoprc")["ecolbs"].mean().round(3)
