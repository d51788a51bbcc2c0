import polars as pl

workers = pl.read_csv("/data/cps-wage-surveys/wage1.csv")
print(f"{workers['educ'].mean():.2f}")
