# %% [markdown]
# # A month of glucose

# %%
import pandas as pd

cgm = pd.read_csv("../input/continuous-glucose-monitor/CGM.csv.gz", parse_dates=["datetime"])
cgm["glucose"].describe().round(3)

# %%
hour = cgm.groupby(cgm["datetime"].dt.hour)["glucose"].mean().round(2)
print(f"highest at {hour.idxmax()} o'clock ({hour.max()}), lowest at {hour.idxmin()} o'clock ({hour.min()})")

# %%
in_range = cgm["glucose"].between(70, 180).mean()
print(f"time in range: {100 * in_range:.2f} %")
