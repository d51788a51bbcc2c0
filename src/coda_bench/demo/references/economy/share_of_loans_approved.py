import pandas as pd

applications = pd.read_csv("/data/house-prices-and-rents/loanapp.csv.bz2")
share = applications["approve"].mean() * 100
print(f"{share:.2f}%")
