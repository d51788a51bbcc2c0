import duckdb

query = "SELECT regr_slope(inf, unem) FROM '/data/macro-time-series/phillips.csv'"
((slope,),) = duckdb.sql(query).fetchall()
print(f"{'Yes' if slope > 0 else 'No'}; {slope:.2f}")
