import numpy as np
import pandas as pd

series = pd.read_csv("/data/macro-time-series/phillips.csv").dropna(subset=["inf", "unem"])
slope, _ = np.polyfit(series["unem"], series["inf"], 1)
print(f"{'Yes' if slope > 0 else 'No'}; {slope:.2f}")
