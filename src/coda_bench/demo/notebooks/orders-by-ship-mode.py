# %% [markdown]
# # Orders by ship mode

# %%
import pandas as pd

orders = pd.read_csv("../input/superstore-orders/SampleSuperstore.csv.gz")
orders["Ship Mode"].value_counts()

# %%
orders.pivot_table(index="Segment", columns="Ship Mode", values="Sales", aggfunc="median").round(2)

# %%
state = orders.groupby("State")["Profit"].sum().sort_values()
print(f"worst state: {state.index[0]} with {state.iloc[0]:,.2f} dollars")
print(f"states that lose money: {(state < 0).sum()} of {len(state)}")
