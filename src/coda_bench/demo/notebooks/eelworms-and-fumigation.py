# %% [markdown]
# # Eelworms and fumigation

# %%
import pandas as pd

path = "../input/field-crop-trials/eelworm_fumigation.csv"
trial = pd.read_csv(path)
trial["ratio"] = trial["final"] / trial["initial"]
trial.groupby("fumigant")["ratio"].mean().round(3)

# %%
trial = trial[trial["dose"] > 0]
trial.to_csv(path, index=False)
len(trial)

# %%
again = pd.read_csv(path)
print("plots:", len(again), "mean grain:", round(again["grain"].mean(), 3))
