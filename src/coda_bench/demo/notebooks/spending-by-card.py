# %% [markdown]
# # Spending by card

# %%
import pandas as pd

cards = pd.read_csv("../input/firm-investment-panel/ccard.csv")
cards.groupby("OWNRENT")["AVGEXP"].agg(["mean", "size"]).round(2)

# %%
cards.groupby(cards["AGE"] // 10 * 10)["AVGEXP"].median()

# %%
print(f"income and spending, r = {cards['INCOME'].corr(cards['AVGEXP']):.4f}")
print(
    f"more than a tenth of the month's income: {(cards['AVGEXP'] > cards['INCOME'] * 10_000 / 12 / 10).sum()} of {len(cards)}"
)
