# %% [markdown]
# # Films in a database

# %%
import sqlite3

import pandas as pd

connection = sqlite3.connect("file:../input/films-and-ratings/movies.db?mode=ro&immutable=1", uri=True)
films = pd.read_sql("SELECT Title, Year, imdbRating, imdbVotes, Runtime FROM omdb", connection)
films.shape

# %%
films["Year"] = films["Year"].astype(str).str[:4].astype(int)
films.groupby(films["Year"] // 10 * 10)["imdbRating"].agg(["mean", "size"]).round(3)

# %%
popular = films.nlargest(3, "imdbVotes")[["Title", "Year", "imdbVotes"]]
print(popular.to_string(index=False))
