import pandas as pd

wines = pd.read_csv("/data/food-quality-and-farms/red_wine_quality.csv")
print(f"{wines['alcohol'].mean():.2f}")
