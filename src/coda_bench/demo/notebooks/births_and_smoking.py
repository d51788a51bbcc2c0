# %% [markdown]
# # Births, smoking and health
# %%
import pandas as pd

births = pd.read_csv("../input/births-and-health-habits/bwght.csv")
smoke = pd.read_csv("../input/births-and-health-habits/smoke.csv")
heart = pd.read_csv("../input/medical-statistics-samples/heart.csv")
# %%
print(f"{(births['cigs'] > 0).mean():.2%} of mothers smoked")
# %%
smoke.groupby("restaurn")["cigs"].mean().round(3)
# %%
heart["survival"].describe().round(2)
