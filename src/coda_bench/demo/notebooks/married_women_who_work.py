# %% [markdown]
# # Which married women worked in 1975
# %%
import pandas as pd

mroz = pd.read_csv("../input/married-women-at-work/mroz.csv")
cps = pd.read_csv("../input/cps-wage-surveys/cps91.csv")
print(len(mroz), len(cps))
# %%
mroz.groupby("kidslt6")["inlf"].agg(["size", "mean"]).round(3)
# %%
print(f"in the labour force: {mroz['inlf'].mean():.1%} in 1975, {cps['inlf'].mean():.1%} in 1991")
# %%
mroz["educ"].describe().round(2)
