import polars as pl

planes = pl.read_csv("/data/new-york-departures-2013/planes.csv", null_values=["NA"])
print(planes["manufacturer"].n_unique())
