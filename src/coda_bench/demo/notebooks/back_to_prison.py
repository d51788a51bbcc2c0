# %% [markdown]
# # Back to prison?
# %%
import pandas as pd

recid = pd.read_csv("../input/crime-and-justice/recid.csv")
rossi = pd.read_csv("../input/durations-and-censoring/rossi.csv")
# %%
print(f"{1 - recid['cens'].mean():.2%} came back; {rossi['arrest'].mean():.2%} in the other study")
# %%
recid.groupby("workprg")["durat"].median()
