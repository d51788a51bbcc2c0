# %% [markdown]
# # What animals weigh

# %%
import pandas as pd

pigs = pd.read_csv("../input/livestock-and-wildlife/pig_weight_gain.csv")
butter = pd.read_csv("../input/livestock-and-wildlife/cattle_butterfat.csv")

# %%
pigs["gain"] = pigs["weight2"] - pigs["weight1"]
pigs.groupby("treatment")["gain"].agg(["mean", "std"]).round(3)

# %%
butter.pivot_table(index="Breed", columns="Age", values="Butterfat", aggfunc="mean").round(3)

# %%
best = butter.groupby("Breed")["Butterfat"].mean().idxmax()
print(f"Most butterfat: {best}")

# %%
ducks = pd.read_csv("../input/livestock-and-wildlife/black_duck_survival.csv")
print(ducks["status"].sum(), "of", len(ducks), "ducks died; median time", ducks["time"].median())
