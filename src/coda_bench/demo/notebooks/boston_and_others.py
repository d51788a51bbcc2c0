# %% [markdown]
# # Prices of houses, three samples
# %%
import pandas as pd

for number in (1, 2, 3):
    houses = pd.read_csv(f"../input/house-prices-and-rents/hprice{number}.csv")
    print(number, len(houses), houses["price"].median())
# %%
loans = pd.read_csv("../input/house-prices-and-rents/loanapp.csv.bz2")
loans.groupby("white")["approve"].mean().round(3)
