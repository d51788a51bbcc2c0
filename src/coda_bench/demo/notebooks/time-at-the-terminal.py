# %% [markdown]
# # Time at the terminal

# %%
import pandas as pd

trips = pd.read_csv("../input/travel-choices/modechoice.csv", sep=";")
names = {1: "air", 2: "train", 3: "bus", 4: "car"}
trips["by"] = trips["mode"].map(names)
print(trips["individual"].nunique(), "travellers")

# %%
trips.groupby("by")["ttme"].agg(["mean", "max"]).round(2)

# %%
chosen = trips[trips["choice"] == 1]
print(f"the chosen way costs {chosen['gc'].mean():.2f}, the others {trips.drop(chosen.index)['gc'].mean():.2f}")

# %%
cheapest = trips.loc[trips.groupby("individual")["gc"].idxmin()]
print(f"{cheapest['choice'].sum()} of them chose the cheapest")
