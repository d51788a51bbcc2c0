# %% [markdown]
# # Laws and prisons

# %%
import pandas as pd

path = "../input/{}/{}"
castle = pd.read_stata(path.format("law-changes-by-state", "castle.dta"))
prison = pd.read_csv(path.format("crime-and-justice", "prison.csv"))

# %%
castle.groupby("year")["homicide"].mean().round(3)

# %%
change = prison.groupby("year")["criv"].mean()
print(f"violent crimes per 100,000: {change.iloc[0]:.4f} in the first year, {change.iloc[-1]:.4f} in the last")

# %%
prison.groupby("govelec")[["criv", "crip"]].mean().round(3)
