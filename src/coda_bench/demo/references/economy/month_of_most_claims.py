import calendar

import duckdb

query = """
SELECT month FROM '/data/macro-time-series/claims/ezanders.csv'
GROUP BY month ORDER BY avg(uclms) DESC LIMIT 1
"""
((busiest,),) = duckdb.sql(query).fetchall()
print(next(name for name in calendar.month_name[1:] if name.upper().startswith(busiest[:3])))
