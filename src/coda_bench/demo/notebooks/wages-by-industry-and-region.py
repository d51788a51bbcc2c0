# %% [markdown]
# # Wages by industry and region

# %%
import pandas as pd

cps = pd.read_csv("../input/cps-wage-surveys/wage1.csv")
regions = {"northcen": "north central", "south": "south", "west": "west"}
cps["region"] = "east"
for column, name in regions.items():
    cps.loc[cps[column] == 1, "region"] = name

# %%
cps.groupby("region")["wage"].agg(["mean", "median", "size"]).round(3)

# %%
industries = ["construc", "ndurman", "trcommpu", "trade", "services", "profserv"]
pd.Series({name: cps.loc[cps[name] == 1, "wage"].mean() for name in industries}).round(3).sort_values()

# %%
print("wage and schooling:", cps["wage"].corr(cps["educ"]).round(5))
print("Hours of school at the 90th percentile:", cps["educ"].quantile(0.9))
