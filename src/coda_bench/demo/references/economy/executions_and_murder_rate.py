import pandas as pd

FOLDER = "/data/state-crime-and-punishment"
executions = pd.read_csv(f"{FOLDER}/cpunish.csv")
crime = pd.read_csv(f"{FOLDER}/statecrime.csv")

# The two tables write state names differently: underscores here, trailing blanks there.
executions["state"] = executions["STATE"].str.replace("_", " ", regex=False).str.strip()
crime["state"] = crime["state"].str.strip()

educated = executions[executions["DEGREE"] >= 0.2]
educated = educated[["state", "EXECUTIONS", "DEGREE"]]
merged = educated.merge(
    crime[["state", "murder", "violent"]],
    on="state",
    how="inner",
    validate="one_to_one",
)
if len(merged) != len(educated):
    missing = sorted(set(educated["state"]) - set(merged["state"]))
    raise SystemExit(f"states without crime figures: {missing}")

merged = merged.sort_values(["murder", "state"], ascending=[False, True])
worst = merged.iloc[0]
count = len(merged)
several = merged[merged["EXECUTIONS"] > 1]
one = merged[merged["EXECUTIONS"] == 1]
correlation = merged["murder"].corr(merged["violent"])
gap = several["murder"].mean() - one["murder"].mean()

answer = [
    str(count),
    worst["state"],
    f"{worst['murder']:.1f}",
    f"{gap:.2f}",
    f"{correlation:.2f}",
]
print("; ".join(answer))
