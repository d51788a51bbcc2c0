# %% [markdown]
# # Prisons, crime and the states
# %%
import pandas as pd

prison = pd.read_csv("../input/crime-and-justice/prison.csv")
states = pd.read_csv("../input/state-crime-and-punishment/statecrime.csv")
# %%
yearly = prison.groupby("year")[["criv", "crip"]].mean().round(2)
yearly.tail()
# %%
states.columns = [name.strip() for name in states.columns]
top = states.sort_values("murder", ascending=False).head(5)
print(top[["state", "murder"]].to_string(index=False))
# %%
print("violent crime and poverty:", states["violent"].corr(states["poverty"]).round(4))
