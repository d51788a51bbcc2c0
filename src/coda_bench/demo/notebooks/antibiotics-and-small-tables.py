# %% [markdown]
# # Antibiotics after Burtin, and other small tables

# %%
import pandas as pd

burtin = pd.read_json("../input/biology-chart-samples/burtin.json")
plain = pd.read_csv("../input/bacteria-and-antibiotics/antibiotics.csv", skipinitialspace=True)
wine = pd.read_csv("../input/classic-toy-tables/wine_data.csv", skiprows=1, header=None)

# %%
burtin.groupby("Gram_Staining")[["Penicillin", "Streptomycin", "Neomycin"]].median()

# %%
best = burtin[["Penicillin", "Streptomycin", "Neomycin"]].idxmin(axis=1)
best.value_counts()

# %%
print(len(plain), "rows in the other table;", plain.columns[1].strip(), "needs at most", plain.iloc[:, 1].max())

# %%
wine.groupby(wine.columns[-1])[0].agg(["count", "mean", "std"]).round(4)
