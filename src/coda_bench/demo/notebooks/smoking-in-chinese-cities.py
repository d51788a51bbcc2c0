# %% [markdown]
# # Smoking and lung cancer in Chinese cities

# %%
import pandas as pd

table = pd.read_csv("../input/medical-statistics-samples/china_smoking.csv", index_col="Location")
table.sum()

# %%
odds = (table["smoking_yes_cancer_yes"] * table["smoking_no_cancer_no"]) / (
    table["smoking_yes_cancer_no"] * table["smoking_no_cancer_yes"]
)
odds.round(3)

# %%
top = (table["smoking_yes_cancer_yes"] * table["smoking_no_cancer_no"] / table.sum(axis=1)).sum()
bottom = (table["smoking_yes_cancer_no"] * table["smoking_no_cancer_yes"] / table.sum(axis=1)).sum()
print(f"Mantel-Haenszel odds ratio: {top / bottom:.4f}")
