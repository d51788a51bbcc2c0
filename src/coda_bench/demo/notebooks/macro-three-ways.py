# %% [markdown]
# # Unemployment and inflation, three ways

# %%
import pandas as pd

annual = pd.read_csv("../input/macro-time-series/phillips.csv")
quarterly = pd.read_csv("../input/us-macro-quarterly/macrodata.csv")
monthly = pd.read_csv("../input/us-social-statistics/unemployment1948.csv")

# %%
print("annual", annual["year"].min(), "to", annual["year"].max())
print("quarterly", int(quarterly["year"].min()), "to", int(quarterly["year"].max()))
print("monthly", monthly["Year"].min(), "to", monthly["Year"].max())

# %%
print(f"inflation and unemployment, annual: r = {annual['inf'].corr(annual['unem']):.4f}")
print(f"inflation and unemployment, quarterly: r = {quarterly['infl'].corr(quarterly['unemp']):.4f}")

# %%
quarterly.assign(decade=(quarterly["year"] // 10 * 10).astype(int)).groupby("decade")[["infl", "unemp"]].mean().round(2)

# %%
monthly.set_index("Year")["Annual"].nlargest(3)

# %% [markdown]
# ## And strikes?

# %%
strikes = pd.read_csv("../input/firm-investment-panel/strikes.csv", skipinitialspace=True)
print(f"{len(strikes)} strikes, half of them over after {strikes['duration'].median():.0f} days")
