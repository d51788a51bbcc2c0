# %% [markdown]
# # A century of sprints

# %%
import pandas as pd

sprint = pd.read_csv("../input/olympic-results/sprint.csv", skipinitialspace=True, escapechar="\\")
sprint.columns = sprint.columns.str.strip()
sprint["Medal"] = sprint["Medal"].str.strip()
sprint.head(3)

# %%
gold = sprint[sprint["Medal"] == "GOLD"].set_index("Year")["Time"]
print("first", gold.index.min(), gold[gold.index.min()], "last", gold.index.max(), gold[gold.index.max()])

# %%
sprint["Country"].str.strip().value_counts().head(3)

# %%
gold.groupby(gold.index // 20 * 20).mean().round(3)
