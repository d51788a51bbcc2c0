# %% [markdown]
# # Development of nations: fertility, life expectancy, income, carbon
# Two tables are called gapminder; they are not the same.

# %%
import pandas as pd

sources = {
    "nations": "../input/nations-in-figures/gapminder.csv.gz",
    "income": "../input/life-expectancy-and-income/gapminder.csv",
    "fertility": "../input/fertility-by-nation/fertility.csv",
    "carbon": "../input/carbon-emissions-by-nation/emissions.csv.gz",
}
nations = pd.read_csv(sources["nations"])
income = pd.read_csv(sources["income"])
fertility = pd.read_csv(sources["fertility"])
carbon = pd.read_csv(sources["carbon"])

# %%
latest = income[income["year"] == 2007]
latest.groupby("continent")[["lifeExp", "gdpPercap"]].median().round(2)

# %%
correlation = latest["gdpPercap"].corr(latest["lifeExp"])
print("income and life expectancy in 2007, r =", round(correlation, 4))

# %%
decades = nations[nations["year"].isin([1970, 1990, 2010])]
decades.groupby("year")[["fertility", "life_expectancy"]].mean().round(3)

# %%
drop = (fertility["1960"] - fertility["2010"]).rename("drop")
top = fertility.assign(drop=drop).nlargest(3, "drop")[["Country Name", "drop"]]
top.round(3)

# %%
last = carbon[carbon["year"] == carbon["year"].max()].nlargest(5, "emissions")
print(last.to_string(index=False))
