# %% [markdown]
# # Elements by weight, glass by origin

# %%
import pandas as pd

elements = pd.read_csv("../input/elements-and-minerals/elements.csv")
elements.columns = elements.columns.str.strip()
elements["metal"].value_counts()

# %%
known = pd.to_numeric(elements["electronegativity"], errors="coerce")
print("most electronegative:", elements.loc[known.idxmax(), "name"], known.max())

# %%
glass = pd.read_csv("../input/elements-and-minerals/forensic_glass.csv")
glass.groupby("type")["RI"].agg(["count", "mean"]).round(5)
