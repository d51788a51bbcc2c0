import pandas as pd

FOLDER = "/data/new-york-departures-2013"
flights = pd.read_csv(
    f"{FOLDER}/flights.csv.zip",
    usecols=["year", "month", "day", "hour", "origin", "dep_delay"],
)
weather = pd.read_csv(
    f"{FOLDER}/weather.csv",
    usecols=["year", "month", "day", "hour", "origin", "precip", "visib"],
)

key = ["origin", "year", "month", "day", "hour"]
weather = weather.drop_duplicates(subset=key)
departed = flights.dropna(subset=["dep_delay"])
joined = departed.merge(weather, on=key, how="inner", validate="many_to_one")
joined["wet"] = joined["precip"] > 0

means = joined.groupby(["origin", "wet"])["dep_delay"].mean().unstack()
costs = (means[True] - means[False]).sort_index()
hardest_hit = costs.idxmax()

foggy = joined[joined["visib"] < 1]
clear = joined[joined["visib"] >= 10]
fog_cost = foggy["dep_delay"].mean() - clear["dep_delay"].mean()

wet_share = joined["wet"].mean() * 100
monthly = joined[joined["wet"]].groupby("month")["dep_delay"].mean()
month_names = {1: "January", 2: "February", 3: "March", 4: "April", 5: "May", 6: "June"}
month_names |= {7: "July", 8: "August", 9: "September", 10: "October", 11: "November", 12: "December"}
worst_month = month_names[int(monthly.idxmax())]

parts = [
    hardest_hit,
    f"{costs[hardest_hit]:.2f}",
    f"{fog_cost:.2f}",
    f"{wet_share:.2f}%",
    worst_month,
]
print("; ".join(parts))
