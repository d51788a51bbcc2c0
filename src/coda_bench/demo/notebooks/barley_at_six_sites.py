# %% [markdown]
# # Barley at six sites
# %%
import pandas as pd

barley = pd.read_json("../input/biology-chart-samples/barley.json")
barley.groupby(["site", "year"])["yield"].mean().unstack().round(2)
# %%
grown = barley.pivot_table(index="site", columns="year", values="yield")
print("site that fell:", (grown[1932] - grown[1931]).idxmax())
