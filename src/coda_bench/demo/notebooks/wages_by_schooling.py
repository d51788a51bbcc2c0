# %% [markdown]
# # What a year of school is worth
# %%
import numpy as np
import pandas as pd

wage = pd.read_csv("../input/cps-wage-surveys/wage1.csv")
wage.shape
# %%
by_school = wage.groupby("educ")["wage"].agg(["count", "mean"]).round(2)
by_school
# %%
slope, intercept = np.polyfit(wage["educ"], wage["lwage"], 1)
print(f"A further year goes with {100 * slope:.2f} % more pay")
# %%
wage[["educ", "exper", "tenure", "wage"]].corr().round(3)
