import csv

with open("/data/soils-and-rivers/soil_munsell_colors.csv", newline="", encoding="utf-8") as stream:
    names = {row["traditional_name"] for row in csv.DictReader(stream)}
print(len(names))
