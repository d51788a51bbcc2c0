# %% [markdown]
# # Browsers in a chart
# The answer is in the picture.

# %%
# %matplotlib inline
import matplotlib.pyplot as plt
import pandas as pd

shares = pd.read_csv("../input/browser-market-shares/browsers_nov_2013.csv", comment="#")
shares.columns = ["version", "share"]

# %%
top = shares.nlargest(6, "share")
figure, axes = plt.subplots(figsize=(4, 3))
axes.bar(top["version"], top["share"])
axes.tick_params(axis="x", rotation=80)
figure.tight_layout()
