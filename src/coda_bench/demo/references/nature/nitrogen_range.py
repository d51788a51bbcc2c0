import csv

lowest, highest = float("inf"), float("-inf")
with open("/data/palmer-station-penguins/penguins-raw.csv", newline="", encoding="utf-8") as stream:
    for sample in csv.DictReader(stream):
        measured = sample["Delta 15 N (o/oo)"]
        if sample["Species"].startswith("Gentoo") and measured not in {"", "NA"}:
            lowest = min(lowest, float(measured))
            highest = max(highest, float(measured))
print(f"{lowest:.2f}-{highest:.2f}")
