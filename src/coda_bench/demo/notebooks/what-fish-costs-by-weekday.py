# %% [markdown]
# # What fish costs by weekday

# %%
import pandas as pd

fish = pd.read_csv("../input/consumers-and-shops/fish.csv")
days = ["mon", "tues", "wed", "thurs"]
fish["day"] = fish[days].idxmax(axis=1).where(fish[days].any(axis=1), "fri")

# %%
fish.groupby("day")[["avgprc", "totqty"]].mean().round(3)

# %%
print(f"price and quantity, r = {fish['avgprc'].corr(fish['totqty']):.4f}")

# %%
discrim = pd.read_csv("../input/consumers-and-shops/discrim.csv")
discrim.groupby("chain")["psoda"].median()
