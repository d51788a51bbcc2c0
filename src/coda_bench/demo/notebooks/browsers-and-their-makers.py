# %% [markdown]
# # Browsers and their makers

# %%
import pandas as pd

browsers = pd.read_csv("../input/browser-market-shares/browsers_nov_2013.csv")
browsers.columns = ["version", "share"]
prices = pd.read_csv("../input/tech-stocks-monthly/stocks.csv")

# %%
browsers["browser"] = browsers["version"].str.replace(r"\s+[\d.]+.*$", "", regex=True)
share = browsers.groupby("browser")["share"].sum().sort_values(ascending=False)
share.round(2).head(4)

# %%
makers = {"Chrome": "GOOG", "IE": "MSFT", "Safari": "AAPL"}
last = prices.groupby("symbol")["price"].last()
for browser in share.index.intersection(list(makers)):
    symbol = makers[browser]
    print(f"{browser}: {share[browser]:.2f} % of the market, a share of {symbol} costs {last[symbol]:.2f}")

# %%
print(len(browsers), "versions,", (browsers["share"] < 0.1).sum(), "below a tenth of a per cent")
