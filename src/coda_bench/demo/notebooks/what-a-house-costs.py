# %% [markdown]
# # What a house costs

# %%
import pandas as pd

boston = pd.read_csv("../input/house-prices-and-rents/hprice1.csv")
kiel = pd.read_csv("../input/house-prices-and-rents/kielmc.csv")

# %%
boston[["price", "sqrft", "bdrms"]].corr()["price"].round(4)

# %%
boston.groupby("bdrms")["price"].agg(["mean", "count"]).round(2)

# %%
near = kiel["dist"] < 15840
prices = kiel.groupby([near.rename("near"), "year"])["price"].mean().unstack().round(0)
prices

# %%
effect = (prices.loc[True, 1981] - prices.loc[True, 1978]) - (prices.loc[False, 1981] - prices.loc[False, 1978])
print(f"difference in differences: {effect:,.0f} dollars")
