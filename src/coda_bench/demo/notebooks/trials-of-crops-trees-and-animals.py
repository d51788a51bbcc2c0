# %% [markdown]
# # What do trials look like? Crops, trees and animals

# %%
import os

import pandas as pd

BASE = "../input"
trials = [
    ("field-crop-trials", "wheat_splitsplit.csv", "yield"),
    ("orchard-and-forest-trials", "apple_uniformity.csv", "yield"),
    ("livestock-and-wildlife", "egg_weight_daily.csv", "weight"),
]
rows = []
for folder, name, column in [
    ("field-crop-trials", "wheat_splitsplit.csv", "yield"),
    ("orchard-and-forest-trials", "apple_uniformity.csv", "yield"),
    ("livestock-and-wildlife", "egg_weight_daily.csv", "weight"),
]:
    table = pd.read_csv(os.path.join(BASE, folder, name))
    values = table[column]
    rows.append(
        {"trial": name.split(".")[0], "n": len(table), "mean": values.mean(), "cv": values.std() / values.mean()}
    )
overview = pd.DataFrame(rows).set_index("trial")
overview.round(3)

# %%
print("Most variable:", overview["cv"].idxmax())
print(f"Its coefficient of variation: {overview['cv'].max():.3f}")

# %%
wheat = pd.read_csv(os.path.join(BASE, "field-crop-trials", "wheat_splitsplit.csv"))
wheat.pivot_table(index="gen", columns="inoc", values="yield", aggfunc="mean").round(2)

# %% [markdown]
# ## Cows, twice

# %%
cows = pd.read_csv(os.path.join(BASE, "elements-and-minerals", "cows.csv"))
cattle = pd.read_csv(os.path.join(BASE, "livestock-and-wildlife", "cattle_butterfat.csv"))
for table in (cows, cattle):
    print(len(table), "cows, mean butterfat", round(table.iloc[:, 0].mean(), 4))
