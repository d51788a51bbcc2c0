import pandas as pd

GRAMS_PER_OUNCE = 28.3495
FOLDER = "/data/births-and-health-habits"
ounces = pd.read_csv(f"{FOLDER}/bwght.csv")
grams = pd.read_csv(f"{FOLDER}/bwght2.csv")

first = pd.DataFrame(
    {
        "study": "first",
        "cigs": ounces["cigs"],
        "weight": ounces["bwght"] * GRAMS_PER_OUNCE,
        "male": ounces["male"],
    }
)
second = pd.DataFrame(
    {
        "study": "second",
        "cigs": grams["cigs"],
        "weight": grams["bwght"],
        "male": grams["male"],
    }
)
births = pd.concat([first, second], ignore_index=True)
births = births.dropna(subset=["cigs", "weight"])
births["smoked"] = births["cigs"] > 0

means = births.groupby(["study", "smoked"])["weight"].mean().unstack()
deficits = means[False] - means[True]
larger = "ounces" if deficits["first"] > deficits["second"] else "grams"

pooled = births[births["smoked"]]
low = (pooled["weight"] < 2500).mean() * 100
heavy = int((births["cigs"] >= 20).sum())

parts = [
    f"{deficits['first']:.0f}",
    f"{deficits['second']:.0f}",
    larger,
    f"{low:.1f}%",
    str(heavy),
]
print("; ".join(parts))
