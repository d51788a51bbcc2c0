# %% [markdown]
# # Remembered by name
# A ship, its films, and those who won.

# %%
import json
import sqlite3

import pandas as pd

BASE = "../input"
aboard = pd.read_csv(f"{BASE}/titanic-passenger-list/titanic_all.csv")
connection = sqlite3.connect(f"file:{BASE}/films-and-ratings/movies.db?mode=ro&immutable=1", uri=True)
films = pd.read_sql("SELECT Title, Year, Country, Meter FROM omdb JOIN tomatoes USING (ID)", connection)
with open(f"{BASE}/olympic-results/olympics2014.json") as stream:
    nations = pd.json_normalize(json.load(stream)["data"])

# %%
print(len(aboard), "passengers,", len(films), "films,", len(nations), "nations")

# %%
about = films[films["Title"].str.contains("Titanic", na=False)]
print(f"{len(about)} films name the ship, the first of {about['Year'].min()}")
print("critics like", round(about["Meter"].mean(), 2), "% of them, and of all", round(films["Meter"].mean(), 2), "%")

# %%
first = films["Country"].str.split(",").str[0].str.strip()
first.value_counts().head(4)

# %%
surname = aboard["name"].str.split(",").str[0]
surname.value_counts().head(3)

# %%
nations.nlargest(4, "medals.total")[["abbr", "medals.gold", "medals.total"]]
