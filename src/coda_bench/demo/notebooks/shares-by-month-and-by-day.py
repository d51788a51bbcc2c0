# %% [markdown]
# # Shares by month and by day

# %%
import pandas as pd

monthly = pd.read_csv("../input/tech-stocks-monthly/stocks.csv")
daily = pd.read_csv("../input/daily-stock-prices/stocks.csv.gz")

# %%
monthly.groupby("symbol")["price"].agg(["min", "max", "mean"]).round(2)

# %%
print(sorted(daily["Ticker"].unique()))
daily.groupby("Ticker")["Close"].max().nlargest(3).round(2)

# %%
first = monthly.groupby("symbol")["price"].first()
last = monthly.groupby("symbol")["price"].last()
growth = (last / first).sort_values(ascending=False)
print(f"{growth.index[0]} grew most: {growth.iloc[0]:.2f} times")
