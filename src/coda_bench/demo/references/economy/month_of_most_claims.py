import calendar

import pandas as pd

claims = pd.read_csv("/data/macro-time-series/claims/ezanders.csv")
by_month = claims.groupby("month")["uclms"].mean()
busiest = by_month.idxmax()
print(next(name for name in calendar.month_name[1:] if name.upper().startswith(busiest[:3])))
