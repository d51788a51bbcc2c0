import pandas as pd

FOLDER = "/data/survival-cohorts"
trial = pd.read_csv(f"{FOLDER}/gbsg2.csv")
register = pd.read_csv(f"{FOLDER}/lymph_node.csv")

# The files share no identifier: a patient is recognised by what both record of her.
register = register.rename(
    columns={
        "size": "tsize",
        "nodes": "pnodes",
        "prog_recp": "progrec",
        "estrg_recp": "estrec",
        "rectime": "time",
        "censrec": "cens",
    }
)
shared = ["age", "tsize", "pnodes", "progrec", "estrec", "time", "cens"]
trial = trial.drop_duplicates(subset=shared, keep=False)
register = register.drop_duplicates(subset=shared, keep=False)
linked = trial.merge(register, on=shared, how="inner", validate="one_to_one")

died = linked[linked["censdead"] == 1]
treated = died[died["horTh"] == "yes"]
untreated = died[died["horTh"] == "no"]
median_treated = treated["survtime"].median()
median_untreated = untreated["survtime"].median()

diagnosed = pd.to_datetime(linked["diagdateb"], format="%d-%m-%Y")
by_year = diagnosed.dt.year.value_counts()
busiest_year = by_year.sort_index().idxmax()

grade_three = linked[linked["tgrade"] == "III"]
share_dead = grade_three["censdead"].mean() * 100

parts = [
    str(len(linked)),
    f"{median_treated:.1f}",
    f"{median_untreated:.1f}",
    str(busiest_year),
    f"{share_dead:.1f}%",
]
print("; ".join(parts))
