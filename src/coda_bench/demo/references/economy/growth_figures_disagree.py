import pandas as pd

quarters = pd.read_csv("/data/us-macro-quarterly/macrodata.csv")
recorded = pd.read_csv("/data/macro-time-series/okun.csv")

# Years with fewer than four quarters have no comparable mean.
counts = quarters.groupby("year")["realgdp"].count()
complete = counts[counts == 4].index
levels = quarters[quarters["year"].isin(complete)]
yearly = levels.groupby("year")["realgdp"].mean()
growth = (yearly / yearly.shift(1) - 1) * 100
growth = growth.dropna().rename("computed").reset_index()
growth["year"] = growth["year"].astype(int)

both = growth.merge(recorded[["year", "pcrgdp"]], on="year", how="inner")
both["gap"] = (both["computed"] - both["pcrgdp"]).abs()
widest = both.sort_values(["gap", "year"], ascending=[False, True]).iloc[0]
within = int((both["gap"] < 0.1).sum())

print(f"{int(widest['year'])}; {widest['computed']:.2f}%; {within}")
