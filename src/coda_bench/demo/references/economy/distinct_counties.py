import pandas as pd

panel = pd.read_parquet("/data/crime-and-justice/countymurders.parquet", columns=["countyid"])
print(panel["countyid"].nunique())
