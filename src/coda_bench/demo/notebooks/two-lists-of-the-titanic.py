# %% [markdown]
# # Two lists of the Titanic

# %%
import pandas as pd

people = pd.read_csv("../input/titanic-passenger-list/titanic_all.csv")
board = pd.read_stata("../input/titanic-on-board/titanic.dta")
print("people on the two lists:", len(people), len(board))

# %%
people.groupby(["class", "sex"])["survived"].mean().unstack().round(3)

# %%
people["class"].value_counts(normalize=True).mul(100).round(2)

# %%
board.astype(str).groupby("class").size()

# %%
print(f"mean age where known: {people['age'].mean():.3f} years, unknown for {people['age'].isna().sum()}")
