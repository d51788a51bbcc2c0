# %% [markdown]
# # Wheat and rice, over the years and by farm

# %%
from pathlib import Path

import pandas as pd

folder = Path("..") / "input" / "field-crop-trials"
crops = pd.read_csv(folder / "rice_wheat_production.csv")
crops["Food"].value_counts()

# %%
crops.groupby("Food")["Yield"].agg(["first", "last", "max"])

# %%
wheat = pd.read_csv(folder / "wheat_bunt.csv")
wheat.groupby("gen")["pct"].mean().nsmallest(3).round(3)

# %%
farms = pd.read_parquet(folder.parent / "food-quality-and-farms" / "idn_rice_farms.parquet")
farms.pivot_table(index="varieties", columns="status", values="seed", aggfunc="mean").round(2)
