# %% [markdown]
# # Money and votes
# %%
import pandas as pd

vote = pd.read_csv("../input/elections-and-approval/vote1.csv")
vote[["voteA", "expendA", "expendB", "shareA"]].corr().round(3)
# %%
print("won with less money:", int(((vote["voteA"] > 50) & (vote["shareA"] < 50)).sum()))
