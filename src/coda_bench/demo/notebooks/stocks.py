# %% [markdown]
# # Technology stocks
# %%
import pandas as pd

monthly = pd.read_csv("../input/tech-stocks-monthly/stocks.csv", parse_dates=["date"])
daily = pd.read_csv("../input/daily-stock-prices/stocks.csv.gz")
google = pd.read_csv("../input/market-and-loan-samples/google_stock_data.csv")
# %%
monthly.groupby("symbol")["price"].agg(["first", "last", "max"]).round(2)
# %%
print(daily.shape, google["Google_Return"].mean().round(6))
