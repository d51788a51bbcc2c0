# %% [markdown]
# # The Phillips curve
# %%
import numpy as np
import pandas as pd

phillips = pd.read_csv("../input/macro-time-series/phillips.csv")
macro = pd.read_csv("../input/us-macro-quarterly/macrodata.csv")
# %%
slope = np.polyfit(phillips["unem"].iloc[:49], phillips["inf"].iloc[:49], 1)
print("slope and intercept:", slope.round(4))
# %%
macro.groupby(macro["year"] // 10 * 10)[["infl", "unemp"]].mean().round(2)
