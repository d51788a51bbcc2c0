# %% [markdown]
# # Murders in counties

# %%
import pandas as pd

counties = pd.read_parquet("../input/crime-and-justice/countymurders.parquet")
print(counties["countyid"].nunique(), "counties,", counties["year"].nunique(), "years")

# %%
counties.groupby("year")["murders"].sum().iloc[[0, -1]]

# %%
none = (counties["murders"] == 0).mean()
print(f"no murder in {100 * none:.2f} % of county years")

# %%
recid = pd.read_csv("../input/crime-and-justice/recid.csv")
recid.groupby("workprg")["cens"].mean().round(4)
