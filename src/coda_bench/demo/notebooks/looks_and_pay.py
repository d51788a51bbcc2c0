# %% [markdown]
# # Does beauty pay?
# %%
import os
import pandas as pd

folder = os.path.join("..", "input", "wages-ability-and-schooling")
beauty = pd.read_csv(os.path.join(folder, "beauty.csv"))
ability = pd.read_csv(os.path.join(folder, "wage2.csv"))
# %%
beauty["looks"].value_counts().sort_index()
# %%
means = beauty.groupby(["female", "looks"])["wage"].mean().unstack(0).round(2)
print(means)
# %%
print("IQ and pay:", ability["IQ"].corr(ability["wage"]).round(4))
