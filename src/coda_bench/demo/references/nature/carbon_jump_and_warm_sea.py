import pandas as pd

FOLDER = "/data/climate-and-sun"
weekly = pd.read_csv(f"{FOLDER}/co2.csv", dtype={"date": str})
sea = pd.read_csv(f"{FOLDER}/elnino.csv")

weekly["date"] = pd.to_datetime(weekly["date"], format="%Y%m%d")
weekly = weekly.dropna(subset=["co2"])
weekly["year"] = weekly["date"].dt.year

# A yearly mean of few weeks would follow the season, not the year.
counts = weekly.groupby("year")["co2"].count()
full_years = counts[counts >= 45].index
yearly = weekly[weekly["year"].isin(full_years)]
yearly = yearly.groupby("year")["co2"].mean().sort_index()

rises = {}
for year in yearly.index:
    if year - 1 in yearly.index:
        rises[int(year)] = yearly[year] - yearly[year - 1]
rise = pd.Series(rises, name="rise")

months = [column for column in sea.columns if column != "YEAR"]
sea["mean"] = sea[months].mean(axis=1)
temperature = sea.set_index("YEAR")["mean"]
both = pd.concat([rise, temperature.rename("sea")], axis=1, join="inner")

top_year = both["rise"].idxmax()
top = both.loc[top_year]
warmest = int(both["sea"].idxmax())
rank = int(both["sea"].rank(ascending=False, method="min")[top_year])
correlation = both["rise"].corr(both["sea"])

parts = [
    str(int(top_year)),
    f"{top['rise']:.2f}",
    str(warmest),
    str(rank),
    f"{correlation:.2f}",
]
print("; ".join(parts))
