# %% [markdown]
# # Fares and traffic
# %%
import pandas as pd

fares = pd.read_csv("../input/air-fares-and-traffic/airfare.csv")
modes = pd.read_csv("../input/travel-choices/modechoice.csv", sep=";")
# %%
fares.groupby("year")["fare"].mean().round(2)
# %%
modes.groupby("mode")["choice"].mean().round(3)
