# %% [markdown]
# # Cleaning in place
# %%
import pandas as pd

path = "../input/us-airfields/airports.csv"
airports = pd.read_csv(path).dropna()
airports.to_csv(path, index=False)
print(len(airports))
