# %% [markdown]
# # What schools spend and how children do

# %%
import os

import pandas as pd

folder = "../input/school-spending-and-test-scores"
meap = pd.read_csv(os.path.join(folder, "meap93.csv"))
star = pd.read_csv(os.path.join("..", "input", "california-school-tests", "star98.csv"))

# %%
print(f"{len(meap)} schools in Michigan, {len(star)} districts in California")
meap["math10"].describe().round(2)

# %%
meap.assign(rich=meap["expend"] > meap["expend"].median()).groupby("rich")["math10"].mean().round(3)

# %%
print("spending and pass rate:", round(meap["expend"].corr(meap["math10"]), 4))
print("lunch programme and pass rate:", round(meap["lnchprg"].corr(meap["math10"]), 4))

# %%
star[["LOWINC", "PTRATIO", "AVYRSEXP"]].mean().round(3)
