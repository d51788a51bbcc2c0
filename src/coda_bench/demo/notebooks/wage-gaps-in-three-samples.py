# %% [markdown]
# # How large is the wage gap, and does the sample matter?
#
# Three samples of American workers: the CPS of 1976, young men with ability scores, and married women.

# %%
import numpy as np
import pandas as pd

cps = pd.read_csv("../input/cps-wage-surveys/wage1.csv")
men = pd.read_csv("../input/wages-ability-and-schooling/wage2.csv")
women = pd.read_csv("../input/married-women-at-work/mroz.csv")
[len(cps), len(men), len(women)]

# %%
gap = cps.groupby("female")["wage"].agg(["mean", "median", "count"]).round(3)
gap

# %%
ratio = gap.loc[1, "mean"] / gap.loc[0, "mean"]
print(f"Women earn {100 * ratio:.1f} % of what men earn per hour")

# %% [markdown]
# Young men by schooling: monthly wages.

# %%
men["college"] = np.where(men["educ"] >= 16, "college", "less")
men.groupby("college")["wage"].mean().round(2)

# %%
working = women[women["inlf"] == 1]
print("Share of married women at work:", round(women["inlf"].mean(), 4))
print("Median hourly wage of those at work:", working["wage"].median().round(4))
