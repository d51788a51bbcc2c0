import duckdb

query = """
SELECT fin, 100 * avg(arrest) FROM '/data/durations-and-censoring/rossi.csv' GROUP BY fin
"""
rates = dict(duckdb.sql(query).fetchall())
lower = "Yes" if rates[1] < rates[0] else "No"
print(f"{lower}; {rates[1]:.1f}%; {rates[0]:.1f}%")
