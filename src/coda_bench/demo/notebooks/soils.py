# %% [markdown]
# # Worms, soils and crops
# %%
import pandas as pd

worms = pd.read_csv("../input/soils-and-rivers/earthworm_crop_soils.csv")
eelworm = pd.read_csv("../input/field-crop-trials/eelworm_fumigation.csv")
cattle = pd.read_csv("../input/livestock-and-wildlife/cattle_butterfat.csv")
# %%
worms.groupby("Crop")["Density"].mean().round(2)
# %%
eelworm.groupby("fumigant")["final"].median()
# %%
cattle.groupby("Breed")["Butterfat"].agg(["mean", "std"]).round(3)
