import polars as pl

wines = pl.read_csv("/data/food-quality-and-farms/red_wine_quality.csv", infer_schema_length=None)
print(f"{wines['alcohol'].mean():.2f}")
