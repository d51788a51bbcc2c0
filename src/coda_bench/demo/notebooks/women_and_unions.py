# %% [markdown]
# # Pay of women, with and without a union
# %%
import pandas as pd

cps = pd.read_csv("/kaggle/input/cps-wage-surveys/cps78_85.csv")
cps["sex"] = cps["female"].map({0: "men", 1: "women"})
# %%
table = cps.pivot_table(index="year", columns="sex", values="lwage", aggfunc="mean")
table["gap"] = table["men"] - table["women"]
table.round(4)
# %%
share = cps.groupby(["year", "sex"])["union"].mean().unstack()
print((100 * share).round(1))
# %%
print("gap in 1985:", round(table.loc[85, "gap"], 4))
