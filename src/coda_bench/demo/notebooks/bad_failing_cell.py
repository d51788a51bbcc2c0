# %% [markdown]
# # A column that is not there
# %%
import pandas as pd

penguins = pd.read_csv("../input/penguin-size-measurements/penguins.csv")
print(len(penguins))
# %%
penguins["wingspan"].mean()
# %%
print("never reached")
