import pandas as pd

released = pd.read_csv("/data/durations-and-censoring/rossi.csv")
rates = released.groupby("fin")["arrest"].mean() * 100
lower = "Yes" if rates[1] < rates[0] else "No"
print(f"{lower}; {rates[1]:.1f}%; {rates[0]:.1f}%")
