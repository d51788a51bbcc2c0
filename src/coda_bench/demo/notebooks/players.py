# %% [markdown]
# # What players earn
# %%
import pandas as pd

nba = pd.read_csv("../input/sports-salaries/nbasal.csv")
mlb = pd.read_csv("../input/sports-salaries/mlb1.csv")
# %%
print(f"median pay: {nba['wage'].median():.1f} thousand (basketball), {mlb['salary'].median():.0f} (baseball)")
# %%
nba.groupby("guard")["points"].mean().round(2)
