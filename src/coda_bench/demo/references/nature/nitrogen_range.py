import pandas as pd

samples = pd.read_csv("/data/palmer-station-penguins/penguins-raw.csv")
gentoo = samples[samples["Species"].str.startswith("Gentoo")]
nitrogen = gentoo["Delta 15 N (o/oo)"].dropna()
print(f"{nitrogen.min():.2f}-{nitrogen.max():.2f}")
