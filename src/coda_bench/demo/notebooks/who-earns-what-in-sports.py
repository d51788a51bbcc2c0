# %% [markdown]
# # Who earns what in sports

# %%
import pandas as pd

nba = pd.read_csv("../input/sports-salaries/nbasal.csv")
mlb = pd.read_csv("../input/sports-salaries/mlb1.csv")

# %%
position = nba[["guard", "forward", "center"]].idxmax(axis=1)
nba.groupby(position)["wage"].mean().round(2)

# %%
print("highest salary in baseball:", int(mlb["salary"].max()))
print("median salary in baseball:", int(mlb["salary"].median()))
print(
    f"share of all salaries that the top tenth earn: {mlb.nlargest(len(mlb) // 10, 'salary')['salary'].sum() / mlb['salary'].sum():.4f}"
)

# %%
mlb[["salary", "hruns", "bavg", "years"]].corr()["salary"].drop("salary").round(4)
