import duckdb

query = """
SELECT Date, "Adj Close" / lag("Adj Close") OVER (ORDER BY Date) AS gain
FROM '/data/daily-stock-prices/stocks.csv.gz' WHERE Ticker = 'AAPL'
"""
days = [(gain, date) for date, gain in duckdb.sql(query).fetchall() if gain is not None]
print(max(days)[1])
