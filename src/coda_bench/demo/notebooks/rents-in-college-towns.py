# %% [markdown]
# # Rents in college towns

# %%
import pandas as pd

rents = pd.read_csv("../input/house-prices-and-rents/rental.csv")
rents.groupby("year")["rent"].mean().round(2)

# %%
rents["student_share"] = rents["students"] / rents["pop"]
rents["student_share"].mean()

# %%
rents.groupby("year")["student_share"].corr(rents["rent"])
