# %% [markdown]
# # Plan of an analysis
# We shall look at prices of houses in `../input/house-prices-and-rents/hprice2.csv`.

# %% [markdown]
# ## Questions
# 1. Does clean air cost?
# 2. By how much does a room raise the price?

# %%
# houses = pd.read_csv("../input/house-prices-and-rents/hprice2.csv")
