# %% [markdown]
# # Penguins twice, and flowers
# Two files called penguins.csv: which rows differ?

# %%
import pandas as pd

files = {
    "palmer": "palmer-station-penguins/penguins.csv",
    "sizes": "penguin-size-measurements/penguins.csv",
    "iris": "iris-flower-measurements/iris.csv",
}
palmer = pd.read_csv("../input/" + files["palmer"])
sizes = pd.read_csv("../input/" + files["sizes"])
iris = pd.read_csv("../input/" + files["iris"])

# %%
pd.DataFrame({"palmer": palmer.isna().sum(), "sizes": sizes.isna().sum()})

# %%
print("rows:", len(palmer), len(sizes), len(iris))
print("mean flipper:", round(palmer["flipper_length_mm"].mean(), 3), round(sizes["flipper_length_mm"].mean(), 3))

# %%
palmer.groupby("species")["body_mass_g"].describe().round(1)

# %%
iris.groupby("species").mean().round(3)
