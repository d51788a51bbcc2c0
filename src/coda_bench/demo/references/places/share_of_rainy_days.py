import duckdb

query = """
SELECT 100 * avg((weather = 'rain')::DOUBLE) FROM '/data/west-coast-weather/seattle-weather.csv'
"""
((share,),) = duckdb.sql(query).fetchall()
print(f"{share:.2f}%")
