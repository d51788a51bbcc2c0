# %% [markdown]
# # Three studies of health
# A sensor, a clinic and a survey: how far apart are their people?

# %%
import pandas as pd

from pathlib import Path

root = Path("../input")
sensor = pd.read_csv(root / "continuous-glucose-monitor" / "CGM.csv.gz", parse_dates=["datetime"])
heart = pd.read_csv(root / "medical-statistics-samples" / "heart.csv")
smokers = pd.read_stata(root / "epidemiology-follow-up" / "nhefs_complete.dta")

# %%
print("readings:", len(sensor), "transplants:", len(heart), "smokers:", len(smokers))

# %%
low = sensor["glucose"] < 70
print(f"readings below 70: {100 * low.mean():.2f} %")

# %%
heart.groupby(heart["age"] >= 50)["survival"].median()

# %%
gain = smokers.groupby("qsmk")["wt82_71"].mean()
print(f"those who stopped gained {gain[1] - gain[0]:.3f} kg more")

# %%
smokers["diabetes"].value_counts().sort_index()
