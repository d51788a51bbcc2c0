import pandas as pd

readings = pd.read_csv("/data/continuous-glucose-monitor/CGM.csv.gz", parse_dates=["datetime"])
readings = readings.dropna(subset=["glucose"])
means = readings.groupby(readings["datetime"].dt.day_name())["glucose"].mean()
print(means.idxmax())
