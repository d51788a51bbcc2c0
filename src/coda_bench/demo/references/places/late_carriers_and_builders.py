import pandas as pd

FOLDER = "/data/new-york-departures-2013"
flights = pd.read_csv(
    f"{FOLDER}/flights.csv.zip",
    usecols=["carrier", "tailnum", "dep_delay", "arr_delay"],
)
airlines = pd.read_csv(f"{FOLDER}/airlines.csv")
planes = pd.read_csv(f"{FOLDER}/planes.csv", usecols=["tailnum", "manufacturer", "seats"])

arrived = flights.dropna(subset=["arr_delay"])
by_carrier = arrived.groupby("carrier")["arr_delay"].agg(["mean", "size"])
by_carrier = by_carrier[by_carrier["size"] >= 10_000]
latest = by_carrier["mean"].idxmax()
latest_mean = by_carrier["mean"].max()
carrier_name = airlines.set_index("carrier")["name"][latest]

with_plane = arrived.merge(
    planes,
    on="tailnum",
    how="inner",
    validate="many_to_one",
)
of_carrier = with_plane[with_plane["carrier"] == latest]
builder_counts = of_carrier["manufacturer"].value_counts()
main_builder = builder_counts.idxmax()
main_share = builder_counts.max() / builder_counts.sum() * 100

left_late = arrived[arrived["dep_delay"] > 0]
caught_up = (left_late["arr_delay"] <= 0).mean() * 100

parts = [
    carrier_name,
    f"{latest_mean:.2f}",
    main_builder,
    f"{main_share:.1f}%",
    f"{caught_up:.1f}%",
]
print("; ".join(parts))
