# %% [markdown]
# # A sample of the orchard

# %%
import numpy as np
import pandas as pd

apples = pd.read_csv("../input/orchard-and-forest-trials/apple_uniformity.csv").dropna()
sample = apples.sample(40)
print("mean yield of the sample:", round(sample["yield"].mean(), 3))

# %%
means = [np.random.choice(apples["yield"], 40).mean() for _ in range(200)]
print(f"bootstrap interval: {np.percentile(means, 2.5):.3f} to {np.percentile(means, 97.5):.3f}")
