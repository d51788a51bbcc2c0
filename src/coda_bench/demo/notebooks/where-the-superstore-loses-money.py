# %% [markdown]
# # Where the superstore loses money

# %%
import pandas as pd

orders = pd.read_csv("/kaggle/input/datasets/coda-bench-demo/superstore-orders/SampleSuperstore.csv.gz")
orders[["Sales", "Profit"]].sum().round(2)

# %%
by_kind = orders.groupby("Sub-Category")["Profit"].sum().round(2)
by_kind.nsmallest(3)

# %%
table = orders.pivot_table(index="Region", columns="Category", values="Profit", aggfunc="sum").round(0).astype(int)
table

# %%
loss = (orders["Profit"] < 0).mean()
print(f"{100 * loss:.2f} % of orders lose money")
print("mean discount where they do:", orders.loc[orders["Profit"] < 0, "Discount"].mean().round(4))
