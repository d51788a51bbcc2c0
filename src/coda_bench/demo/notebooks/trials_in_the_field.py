# %% [markdown]
# # Trials in the field
# %%
import pandas as pd

soy = pd.read_csv("../input/field-crop-trials/soybean_cultivars.csv")
turnip = pd.read_csv("../input/field-crop-trials/turnip_density.csv")
soy.groupby("cult")["prod"].mean().round(1).sort_values(ascending=False).head()
# %%
turnip.pivot_table(index="spacing", columns="density", values="yield").round(2)
