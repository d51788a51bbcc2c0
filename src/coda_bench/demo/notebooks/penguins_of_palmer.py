# %% [markdown]
# # Penguins at Palmer station
# %%
import pandas as pd

penguins = pd.read_csv("../input/palmer-station-penguins/penguins.csv")
penguins["species"].value_counts()
# %%
penguins.groupby(["species", "sex"])["body_mass_g"].mean().unstack().round(1)
# %%
print("flipper and mass:", penguins["flipper_length_mm"].corr(penguins["body_mass_g"]).round(4))
