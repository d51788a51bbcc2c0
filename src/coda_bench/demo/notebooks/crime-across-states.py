# %% [markdown]
# # Crime across states

# %%
import pandas as pd

panel = pd.read_csv("../input/crime-and-justice/murder.csv")
states = pd.read_csv("../input/state-crime-and-punishment/statecrime.csv")

# %%
wide = panel.pivot(index="state", columns="year", values="mrdrte")
wide.mean().round(2)

# %%
wide.loc[:, 93].nlargest(3)

# %%
states.sort_values("violent", ascending=False)[["state", "violent", "murder"]].head(5)

# %%
print("poverty and violent crime, r =", states["poverty"].corr(states["violent"]).round(4))
print("states with executions in 1993:", int((panel.loc[panel["year"] == 93, "exec"] > 0).sum()))
