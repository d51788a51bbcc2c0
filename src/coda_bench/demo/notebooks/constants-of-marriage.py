# %% [markdown]
# # Some numbers about marriage

# %%
import pandas as pd

marriages = pd.read_csv("../input/voters-and-marriages/fair.csv")

# %%
share_of_affairs = 0.3225
print("share with an affair:", share_of_affairs)

# %%
days = 365.25 * 7
print("seven years have", days, "days")
