import pandas as pd

FOLDER = "/data/west-coast-weather"
north = pd.read_csv(f"{FOLDER}/seattle-temps.csv")
south = pd.read_csv(f"{FOLDER}/sf-temps.csv")

north["time"] = pd.to_datetime(north["date"], format="%Y/%m/%d %H:%M")
south["time"] = pd.to_datetime(south["date"], format="%Y/%m/%d %H:%M:%S")
hours = north[["time", "temp"]].merge(
    south[["time", "temp"]],
    on="time",
    how="inner",
    suffixes=("_north", "_south"),
    validate="one_to_one",
)
hours["lead"] = hours["temp_north"] - hours["temp_south"]
warmer = hours[hours["lead"] > 0]
share = len(warmer) / len(hours) * 100

by_month = hours.groupby(hours["time"].dt.month_name())["lead"].mean()
best_month = by_month.idxmax()
best_lead = by_month.max()

clock = warmer.groupby(warmer["time"].dt.hour).size()
most_frequent_hour = int(clock.idxmax())
by_day = hours.groupby(hours["time"].dt.strftime("%Y-%m-%d"))["lead"].mean()
coldest_day = by_day.idxmin()

parts = [
    str(len(warmer)),
    f"{share:.2f}%",
    best_month,
    f"{best_lead:.2f}",
    str(most_frequent_hour),
    coldest_day,
]
print("; ".join(parts))
