# %% [markdown]
# # Paid or decorated

# %%
import pandas as pd

nba = pd.read_csv("../input/sports-salaries/nbasal.csv")
sprint = pd.read_csv("../input/olympic-results/sprint.csv", skipinitialspace=True)
sprint.columns = sprint.columns.str.strip()

# %%
nba.groupby("allstar")["wage"].agg(["mean", "size"]).round(2)

# %%
sprint["Medal"] = sprint["Medal"].str.strip()
sprint.groupby("Medal")["Time"].agg(["min", "mean"]).round(3)

# %%
top = nba.nlargest(len(nba) // 10, "wage")["wage"].sum() / nba["wage"].sum()
print(f"the best paid tenth earns {100 * top:.2f} % of all wages")

# %%
gold = sprint[sprint["Medal"] == "GOLD"]
print(f"{gold['Country'].nunique()} nations won the sprint; gold since 1984: {(gold['Year'] >= 1984).sum()}")
