# %% [markdown]
# # Wheat and rice over the years

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
corn = pd.read_csv(folder / "corn_hybrid_density.csv")
corn.pivot_table(index="A", columns="B", values="Resp", aggfunc="mean").round(3)
