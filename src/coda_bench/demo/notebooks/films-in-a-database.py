# %% [markdown]
# # Films in a database

# %%
import sqlite3

import pandas as pd

path = "../input/films-and-ratings/movies.db"
connection = sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)
query = """
SELECT Title, Year, Runtime, Oscars, Meter, Reviews, BoxOffice
FROM omdb JOIN tomatoes USING (ID) WHERE Reviews >= 10
"""
films = pd.read_sql(query, connection)
len(films)

# %%
films["Year"] = films["Year"].astype(str).str[:4].astype(int)
films.groupby(films["Year"] // 10 * 10)["Meter"].agg(["mean", "size"]).round(2)

# %%
best = films.nlargest(3, "BoxOffice")[["Title", "Year", "BoxOffice"]]
print(best.to_string(index=False))

# %%
print(f"reviews and box office, r = {films['Reviews'].corr(films['BoxOffice']):.4f}")
print("films with an Oscar:", int((films["Oscars"] > 0).sum()), "of", len(films))
