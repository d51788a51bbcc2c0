# %% [markdown]
# # Investment of large firms

# %%
import pandas as pd

grunfeld = pd.read_csv("../input/firm-investment-panel/grunfeld.csv")
grunfeld.groupby("firm")["invest"].mean().sort_values(ascending=False).head(4).round(2)

# %%
print(f"{grunfeld['firm'].nunique()} firms, {grunfeld['year'].min()} to {grunfeld['year'].max()}")
print("investment and value, r = %.4f" % grunfeld["invest"].corr(grunfeld["value"]))

# %%
engel = pd.read_csv("../input/firm-investment-panel/engel.csv")
share = (engel["foodexp"] / engel["income"]).rename("share")
share.groupby(pd.qcut(engel["income"], 4, labels=["lowest", "second", "third", "highest"]), observed=True).mean().round(
    4
)
