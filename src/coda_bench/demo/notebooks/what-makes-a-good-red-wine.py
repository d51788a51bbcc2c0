# %% [markdown]
# # What makes a good red wine?

# %%
import pandas as pd

wine = pd.read_csv("../input/food-quality-and-farms/red_wine_quality.csv")
wine["quality"].value_counts().sort_index()

# %%
correlation = wine.corr(numeric_only=True)["quality"].drop("quality")
correlation.sort_values(ascending=False).round(4).head(3)

# %%
good = wine[wine["quality"] >= 7]
print(f"{len(good)} good wines, {100 * len(good) / len(wine):.2f} %")
print(
    "their mean alcohol:",
    round(good["alcohol"].mean(), 4),
    "others:",
    round(wine.drop(good.index)["alcohol"].mean(), 4),
)
