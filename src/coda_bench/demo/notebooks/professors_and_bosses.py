# %% [markdown]
# # Professors beside chief executives
# %%
import pandas as pd

big9 = pd.read_csv("../input/executive-and-faculty-pay/big9salary.csv")
wage = pd.read_csv("../input/cps-wage-surveys/wage1.csv")
# %%
pay = big9.groupby("year")["salary"].agg(["count", "mean", "median"]).round(0)
pay
# %%
ratio = big9["salary"].mean() / (wage["wage"].mean() * 2000)
print(f"a professor earned {ratio:.2f} times a full year of the average wage of 1976")
