import numpy as np
import pandas as pd

FOLDER = "/data/cps-wage-surveys"
survey_1976 = pd.read_csv(f"{FOLDER}/wage1.csv")
surveys_later = pd.read_csv(f"{FOLDER}/cps78_85.csv")

survey_1976["year"] = 1976
surveys_later["year"] = 1900 + surveys_later["year"]
columns = ["year", "female", "lwage", "educ"]
workers = pd.concat(
    [survey_1976[columns], surveys_later[columns]],
    ignore_index=True,
)
workers = workers.dropna(subset=["lwage", "female"])

gaps = {}
for year, group in workers.groupby("year"):
    women = group.loc[group["female"] == 1, "lwage"].mean()
    men = group.loc[group["female"] == 0, "lwage"].mean()
    # Logarithms average to geometric means, so the ratio of these is exp of the difference.
    gaps[int(year)] = (1 - np.exp(women - men)) * 100

graduates = workers[workers["educ"] >= 16]
last_year = max(gaps)
latest = graduates[graduates["year"] == last_year]
women = latest.loc[latest["female"] == 1, "lwage"].mean()
men = latest.loc[latest["female"] == 0, "lwage"].mean()
graduate_gap = (1 - np.exp(women - men)) * 100

schooling = workers.groupby(["year", "female"])["educ"].mean().unstack()
lead_of_women = schooling[1] - schooling[0]

widest = max(gaps, key=lambda year: gaps[year])
parts = [str(widest)]
parts += [f"{gaps[year]:.1f}%" for year in sorted(gaps)]
parts.append(f"{graduate_gap:.1f}%")
parts.append(f"{lead_of_women[last_year]:.2f}")
print("; ".join(parts))
