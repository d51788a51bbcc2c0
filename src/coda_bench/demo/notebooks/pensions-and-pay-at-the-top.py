# %% [markdown]
# # Pensions for the many, pay at the top

# %%
import pandas as pd

plans = pd.read_csv("../input/retirement-saving/401k.csv")
families = pd.read_csv("../input/retirement-saving/401ksubs.csv")
ceo = pd.read_excel("../input/executive-and-faculty-pay/ceosal1.xlsx")

# %%
plans[["prate", "mrate", "age"]].describe().round(2)

# %%
families.groupby("e401k")["nettfa"].median()

# %%
industries = ["indus", "finance", "consprod", "utility"]
pay = pd.Series({name: ceo.loc[ceo[name] == 1, "salary"].median() for name in industries})
pay.sort_values(ascending=False)

# %%
print("Highest paid chief executive, thousand dollars:", ceo["salary"].max())
print("Rank correlation of salary and sales: %.3f" % ceo["salary"].rank().corr(ceo["sales"].rank()))
