# %% [markdown]
# # Earthworms and soil

# %%
import pandas as pd

worms = pd.read_csv("../input/soils-and-rivers/earthworm_crop_soils.csv")
worms.groupby("Soil")[["Density", "Biomass"]].mean().round(2)

# %%
worms.groupby(["Crop", "Year"])["Density"].mean().unstack().round(1)

# %%
print("density and biomass, r =", round(worms["Density"].corr(worms["Biomass"]), 4))

# %%
colours = pd.read_csv("../input/soils-and-rivers/soil_munsell_colors.csv")
colours["traditional_name"].value_counts().head(2)
