# %% [markdown]
# # Wine and avocados
# %%
import pandas as pd

wine = pd.read_csv("../input/food-quality-and-farms/red_wine_quality.csv")
avocado = pd.read_csv("../input/food-quality-and-farms/avocado_us_sale.csv")
# %%
wine["quality"].value_counts().sort_index()
# %%
print("alcohol and quality:", wine["alcohol"].corr(wine["quality"]).round(4))
print("price by type:", avocado.groupby("type")["avg_selling_price"].mean().round(3).to_dict())
