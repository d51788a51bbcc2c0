# %% [markdown]
# # Penguins by island

# %%
import pandas as pd

penguins = pd.read_csv("../input/palmer-station-penguins/penguins.csv")
raw = pd.read_csv("../input/palmer-station-penguins/penguins-raw.csv")

# %%
pd.crosstab(penguins["island"], penguins["species"])

# %%
penguins.groupby(["species", "sex"])["body_mass_g"].mean().unstack().round(1)

# %%
print("studies:", sorted(raw["studyName"].unique()))
print("complete clutches: %.2f %%" % (100 * (raw["Clutch Completion"] == "Yes").mean()))

# %%
penguins.groupby("species").apply(lambda g: g["bill_length_mm"].corr(g["bill_depth_mm"]), include_groups=False).round(4)
