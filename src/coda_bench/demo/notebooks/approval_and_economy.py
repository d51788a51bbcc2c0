# %% [markdown]
# # Approval of the president and the economy
# %%
import pandas as pd

approval = pd.read_csv("../input/elections-and-approval/approval.csv")
fair = pd.read_csv("../input/elections-and-approval/fair.csv")
macro = pd.read_csv("../input/us-macro-quarterly/macrodata.csv")
# %%
approval.groupby("year")["approve"].mean().round(2)
# %%
print("approval and gas price:", approval["approve"].corr(approval["gasprice"]).round(4))
# %%
print("growth in election years:", fair["g3"].describe().round(3).to_dict())
print("unemployment, last quarter:", macro["unemp"].iloc[-1])
