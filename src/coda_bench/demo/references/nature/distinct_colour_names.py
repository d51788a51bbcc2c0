import pandas as pd

colours = pd.read_csv("/data/soils-and-rivers/soil_munsell_colors.csv")
print(colours["traditional_name"].nunique())
