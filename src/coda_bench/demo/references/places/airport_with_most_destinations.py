import csv
import gzip
from collections import defaultdict

FOLDER = "/data/airline-route-map"
reached = defaultdict(set)
with gzip.open(f"{FOLDER}/routes.csv.gz", "rt", newline="", encoding="utf-8") as stream:
    for route in csv.DictReader(stream):
        reached[route["Source"]].add(route["Destination"])
hub = max(reached, key=lambda source: len(reached[source]))

with open(f"{FOLDER}/airports.csv", newline="", encoding="utf-8") as stream:
    names = {airport["IATA"]: airport["Name"] for airport in csv.DictReader(stream)}
print(f"{names[hub]}; {len(reached[hub])}")
