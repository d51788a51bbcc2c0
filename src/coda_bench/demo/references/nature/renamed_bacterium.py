import json

import pandas as pd

table = pd.read_csv("/data/bacteria-and-antibiotics/antibiotics.csv", skipinitialspace=True)
with open("/data/biology-chart-samples/burtin.json", encoding="utf-8") as stream:
    records = pd.DataFrame(json.load(stream))

lonely = table[~table["bacteria"].isin(records["Bacteria"])]
row = lonely.iloc[0]
same_doses = (
    (records["Penicillin"] == row["penicillin"])
    & (records["Streptomycin"] == row["streptomycin"])
    & (records["Neomycin"] == row["neomycin"])
)
other_name = records.loc[same_doses, "Bacteria"].iloc[0]
resistant = int((table["penicillin"] >= 100).sum())
print(f"{row['bacteria']}; {other_name}; {resistant}")
