# %% [markdown]
# # Children and income of nations
# Two tables that are called alike, joined by country and year.

# %%
import pandas as pd

income = pd.read_csv(
    "../input/life-expectancy-and-income/gapminder.csv",
    encoding="utf-8",
)
children = pd.read_csv(
    "../input/nations-in-figures/gapminder.csv.gz",
    encoding="utf-8",
)

# %%
nations = income.merge(
    children[
        [
            "country",
            "year",
            "fertility",
            "life_expectancy",
        ]
    ],
    on=[
        "country",
        "year",
    ],
    how="inner",
)
nations["wealth"] = nations["gdpPercap"] * nations["pop"] / 1000000000
nations["gap"] = nations["life_expectancy"] - nations["lifeExp"]
rich = nations[(nations["gdpPercap"] > 10000) & (nations["year"] >= 1980) & (nations["fertility"] < 3)]

# %%
rich.groupby("continent")["gap"].mean().round(3)

# %%
print("largest economy, in billions:", round(rich["wealth"].max(), 1))
