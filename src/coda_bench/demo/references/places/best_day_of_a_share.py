import pandas as pd

prices = pd.read_csv("/data/daily-stock-prices/stocks.csv.gz")
apple = prices[prices["Ticker"] == "AAPL"].sort_values("Date")
gains = apple["Adj Close"] / apple["Adj Close"].shift(1) - 1
print(apple.loc[gains.idxmax(), "Date"])
