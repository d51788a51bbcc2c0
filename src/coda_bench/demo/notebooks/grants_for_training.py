# %% [markdown]
# # Did training grants help?
# %%
import pandas as pd

jtrain2 = pd.read_csv("../input/job-training-programmes/jtrain2.csv.bz2")
cps = pd.read_csv("../input/cps-wage-surveys/cps78_85.csv")
# %%
effect = jtrain2.groupby("train")["re78"].mean()
print(effect.round(3))
print("difference:", round(effect[1] - effect[0], 3))
# %%
jtrain2[["age", "educ", "black", "married"]].groupby(jtrain2["train"]).mean().round(3)
# %%
print("log pay in 1978:", cps.loc[cps["year"] == 78, "lwage"].mean().round(4))
