# %% [markdown]
# # Interest and deficits
# %%
import pandas as pd

intdef = pd.read_csv("../input/macro-time-series/intdef.csv")
consump = pd.read_csv("../input/macro-time-series/consump.csv")
longley = pd.read_csv("../input/us-macro-quarterly/longley.csv")
# %%
both = intdef.merge(consump[["year", "gc"]], on="year")
both[["i3", "inf", "def", "gc"]].corr().round(3)
# %%
print("highest rate:", intdef.loc[intdef["i3"].idxmax(), ["year", "i3"]].to_dict())
print(longley.shape)
