# %% [markdown]
# # Life in and on the soil

# %%
import pandas as pd

worms = pd.read_csv("../input/soils-and-rivers/earthworm_crop_soils.csv")
worms.groupby("Soil")[["Density", "Biomass"]].mean().round(2)

# %%
worms.groupby(["Crop", "Year"])["Density"].mean().unstack().round(1)

# %%
print("density and biomass, r =", round(worms["Density"].corr(worms["Biomass"]), 4))

# %%
scab = pd.read_csv("../input/field-crop-trials/potato_scab_sulfur.csv")
scab.groupby("trt")["inf"].mean().sort_values().head(3)

# %%
birds = pd.read_csv("../input/livestock-and-wildlife/bird_grazing.csv")
birds.groupby(["When", "Grazed"])["Birds"].mean().unstack().round(2)
