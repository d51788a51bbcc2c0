# %% [markdown]
# # What chief executives earn
# %%
import pandas as pd

ceo = pd.read_excel("../input/executive-and-faculty-pay/ceosal1.xlsx")
returns = pd.read_csv("../input/executive-and-faculty-pay/return.csv")
# %%
ceo["salary"].describe().round(1)
# %%
sectors = ["indus", "finance", "consprod", "utility"]
for sector in sectors:
    print(sector, ceo.loc[ceo[sector] == 1, "salary"].median())
# %%
print("salary and return on equity:", returns["salary"].corr(returns["roe"]).round(4))
