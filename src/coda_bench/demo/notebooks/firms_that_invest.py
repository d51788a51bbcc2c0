# %% [markdown]
# # Firms that invest
# %%
import pandas as pd

grunfeld = pd.read_csv("../input/firm-investment-panel/grunfeld.csv")
rd = pd.read_csv("../input/executive-and-faculty-pay/rdchem.csv")
# %%
grunfeld.groupby("firm")["invest"].mean().sort_values(ascending=False).round(1)
# %%
print("research and sales:", rd["rd"].corr(rd["sales"]).round(4))
