# %% [markdown]
# # Nations, twice
# %%
import pandas as pd

gap = pd.read_csv("../input/life-expectancy-and-income/gapminder.csv")
fertility = pd.read_csv("../input/fertility-by-nation/fertility.csv")
emissions = pd.read_csv("../input/carbon-emissions-by-nation/emissions.csv.gz")
# %%
gap[gap["year"] == 2007].groupby("continent")["lifeExp"].mean().round(2)
# %%
print(fertility.shape, emissions.shape)
# %%
print("richest in 2007:", gap[gap["year"] == 2007].nlargest(1, "gdpPercap")["country"].item())
