# %% [markdown]
# # Kinds of glass

# %%
import pandas as pd

glass = pd.read_csv("../input/elements-and-minerals/forensic_glass.csv")
glass["type"].value_counts()

# %%
glass.groupby("type")[["Na", "Mg", "Al"]].mean().round(3)

# %%
print(f"without barium: {100 * (glass['Ba'] == 0).mean():.2f} %")

# %%
oxides = ["Na", "Mg", "Al", "Si", "K", "Ca", "Ba", "Fe"]
total = glass[oxides].sum(axis=1)
print(f"parts sum to {total.min():.2f} at least and {total.max():.2f} at most")
