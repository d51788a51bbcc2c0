import pandas as pd

FOLDER = "/data/airline-route-map"
routes = pd.read_csv(f"{FOLDER}/routes.csv.gz")
airports = pd.read_csv(f"{FOLDER}/airports.csv")

reached = routes.groupby("Source")["Destination"].nunique()
hub = reached.idxmax()
name = airports.set_index("IATA")["Name"][hub]
print(f"{name}; {reached.max()}")
