# %% [markdown]
# # Cars of 1978 and a share

# %%
import pandas as pd

auto = pd.read_stata("../input/market-and-loan-samples/auto.dta")
auto.groupby("foreign", observed=True)[["price", "mpg"]].mean().round(2)

# %%
cheap = auto.nsmallest(2, "price")[["make", "price"]]
print(cheap.to_string(index=False))

# %%
google = pd.read_csv("../input/market-and-loan-samples/google_stock_data.csv")
beta = google["Google_Return"].cov(google["SP500_Return"]) / google["SP500_Return"].var()
print(f"beta: {beta:.4f}")
