import pandas as pd

planes = pd.read_csv("/data/new-york-departures-2013/planes.csv")
print(planes["manufacturer"].nunique())
