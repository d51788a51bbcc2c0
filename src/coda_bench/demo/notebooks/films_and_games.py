# %% [markdown]
# # Films and sprinters
# %%
import sqlite3
import pandas as pd

with sqlite3.connect("file:../input/films-and-ratings/movies.db?mode=ro", uri=True) as films:
    tables = pd.read_sql("SELECT name FROM sqlite_master WHERE type = 'table'", films)
tables
# %%
sprint = pd.read_csv("../input/olympic-results/sprint.csv", skipinitialspace=True)
sprint.groupby("Medal")["Time"].mean().round(3)
