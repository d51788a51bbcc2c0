# %% [markdown]
# # Spending and scores in Michigan
# %%
import pandas as pd

meap = pd.read_csv("../input/school-spending-and-test-scores/meap93.csv")
star = pd.read_csv("../input/california-school-tests/star98.csv")
# %%
meap[["math10", "expend", "lnchprg"]].corr().round(3)
# %%
print(f"pupils who pass, by poverty: {meap.groupby(meap['lnchprg'] > 25)['math10'].mean().round(2).to_dict()}")
# %%
star[["LOWINC", "PTRATIO"]].describe().round(2)
