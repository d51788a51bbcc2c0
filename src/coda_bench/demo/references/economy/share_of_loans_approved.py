import bz2
import csv

with bz2.open("/data/house-prices-and-rents/loanapp.csv.bz2", "rt", newline="") as stream:
    approved = [float(row["approve"]) for row in csv.DictReader(stream)]
share = 100 * sum(approved) / len(approved)
print(f"{share:.2f}%")
