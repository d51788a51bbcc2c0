# %% [markdown]
# # Smoking at birth and later

# %%
import pandas as pd

births = pd.read_csv("../input/births-and-health-habits/bwght.csv")
nhefs = pd.read_stata("../input/epidemiology-follow-up/nhefs.dta")

# %%
births["smokes"] = births["cigs"] > 0
births.groupby("smokes")["bwght"].agg(["mean", "count"]).round(2)

# %%
low = (births["bwghtlbs"] < 5.5).mean()
print(f"{100 * low:.2f} % are born below five and a half pounds")

# %%
nhefs.groupby("qsmk")["death"].mean().round(4)

# %%
nhefs[["age", "wt71", "smokeintensity"]].describe().loc[["mean", "std", "50%"]].round(3)
