import pandas as pd

YEAR = 2010
nations = pd.read_csv("/data/nations-in-figures/gapminder.csv.gz")
regions = pd.read_csv("/data/nations-in-figures/gapminder_regions.csv")
emissions = pd.read_csv("/data/carbon-emissions-by-nation/emissions.csv.gz")

nations = nations[nations["year"] == YEAR]
nations = nations.dropna(subset=["population", "life_expectancy"])
emissions = emissions.dropna(subset=["emissions"])
emissions = emissions[emissions["year"] == YEAR]

regions = regions.rename(columns={"Country": "country", "Group": "region"})
table = nations.merge(
    regions[["country", "region"]],
    on="country",
    how="inner",
    validate="one_to_one",
)
table = table.merge(
    emissions[["country", "emissions"]],
    on="country",
    how="inner",
    validate="one_to_one",
)
# Emissions are per person: weigh them by population to speak of a region.
table["tonnes"] = table["emissions"] * table["population"]
table["years"] = table["life_expectancy"] * table["population"]
sums = table.groupby("region")[["tonnes", "years", "population"]].sum()
sums["per_person"] = sums["tonnes"] / sums["population"]
sums["life"] = sums["years"] / sums["population"]

dirtiest = sums["per_person"].idxmax()
cleanest = sums["per_person"].idxmin()
parts = [
    dirtiest,
    f"{sums['per_person'][dirtiest]:.2f}",
    f"{sums['life'][dirtiest]:.1f}",
    cleanest,
    f"{sums['per_person'][cleanest]:.2f}",
    str(len(table)),
]
print("; ".join(parts))
