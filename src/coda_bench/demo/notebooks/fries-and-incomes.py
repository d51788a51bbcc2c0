# %% [markdown]
# # Fries and incomes

# %%
import pandas as pd

shops = pd.read_csv("../input/consumers-and-shops/discrim.csv")
shops[["pfries", "psoda", "income"]].describe().loc[["count", "mean", "max"]].round(3)

# %%
names = {1: "Burger King", 2: "KFC", 3: "Roy Rogers", 4: "Wendy's"}
shops.groupby(shops["chain"].map(names))["pfries"].mean().round(4)

# %%
third = pd.qcut(shops["income"], 3, labels=["low", "middle", "high"])
shops.groupby(third, observed=True)["psoda"].mean().round(4)

# %%
print(f"price of soda and income, r = {shops['psoda'].corr(shops['income']):.4f}")
