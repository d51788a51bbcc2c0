import pandas as pd

FOLDER = "/data/epidemiology-follow-up"
people = pd.read_stata(f"{FOLDER}/nhefs.dta")
codebook = pd.read_stata(f"{FOLDER}/nhefs_codebook.dta")

survivors = people[people["death"] == 0]
alive_columns = survivors.drop(columns=["yrdth", "modth", "dadth"])
gaps = alive_columns.isna().sum()
worst = gaps.idxmax()
meaning = codebook.set_index("variable")["description"][worst]
print(f"{meaning.strip()}; {gaps[worst]}")
