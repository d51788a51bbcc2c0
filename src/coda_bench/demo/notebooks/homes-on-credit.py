# %% [markdown]
# # Homes on credit
# Who is given a loan, and who owns a home?

# %%
import pandas as pd

loans = pd.read_csv("../input/house-prices-and-rents/loanapp.csv.bz2")
owners = pd.read_csv("../input/market-and-loan-samples/fetter_mortgages.csv.gz")
print(len(loans), "applications,", len(owners), "men of the census")

# %%
loans.groupby("married")["approve"].agg(["mean", "size"]).round(4)

# %%
loans["burden"] = pd.cut(loans["obrat"], [0, 25, 33, 40, 100])
refused = 100 - 100 * loans.groupby("burden", observed=True)["approve"].mean()
refused.round(2)

# %%
by_state = owners.groupby("bpl")["home_ownership"].agg(["mean", "size"])
by_state[by_state["size"] >= 5000].nlargest(3, "mean").round(4)

# %%
served = owners.groupby("vet_wwko")["home_ownership"].mean()
print(f"veterans own homes more often by {100 * (served[1] - served[0]):.2f} points")
