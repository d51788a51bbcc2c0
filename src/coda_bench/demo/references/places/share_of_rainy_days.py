import pandas as pd

days = pd.read_csv("/data/west-coast-weather/seattle-weather.csv")
share = (days["weather"] == "rain").mean() * 100
print(f"{share:.2f}%")
