# %% [markdown]
# # Nations and their cities
# %%
import pandas as pd

slugs = ["nations-in-figures", "cities-of-the-world"]
regions = pd.read_csv(f"../input/{slugs[0]}/gapminder_regions.csv")
cities = pd.read_csv(f"../input/{slugs[1]}/world_cities.csv.gz")
gap = pd.read_csv("../input/life-expectancy-and-income/gapminder.csv")
# %%
regions["Group"].value_counts()
# %%
print(len(cities), gap["country"].nunique())
