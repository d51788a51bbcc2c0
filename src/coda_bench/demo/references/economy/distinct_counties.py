import duckdb

query = "SELECT count(DISTINCT countyid) FROM '/data/crime-and-justice/countymurders.parquet'"
((count,),) = duckdb.sql(query).fetchall()
print(count)
