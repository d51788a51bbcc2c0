# %% [markdown]
# # Rice farms with gaps
# Missing pesticide is taken for none.

# %%
import pandas as pd

farms = pd.read_parquet("../input/food-quality-and-farms/idn_rice_farms.parquet")
farms["pesticide"] = farms["pesticide"].where(farms["pesticide"] > 0)
print("farms without pesticide:", int(farms["pesticide"].isna().sum()))

# %%
farms["pesticide"].fillna(0, inplace=True)
print("mean pesticide:", round(farms["pesticide"].mean(), 3))

# %%
farms.groupby("status")["pesticide"].mean().round(2)
