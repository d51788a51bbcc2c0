# %% [markdown]
# # Approval and the price of petrol

# %%
import urllib.request

import pandas as pd

approval = pd.read_csv("../input/elections-and-approval/approval.csv")
print("months:", len(approval))

# %%
page = urllib.request.urlopen("https://data.example.org/petrol/monthly.csv", timeout=5)
petrol = pd.read_csv(page)
print("months of prices:", len(petrol))

# %%
both = approval.merge(petrol, on=["year", "month"])
print("approval and price, r = %.3f" % both["approve"].corr(both["price"]))
