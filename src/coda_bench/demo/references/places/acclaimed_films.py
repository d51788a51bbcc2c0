import sqlite3

connection = sqlite3.connect("file:/data/films-and-ratings/movies.db?mode=ro&immutable=1", uri=True)
(count,) = connection.execute(
    """
    SELECT count(*) FROM omdb JOIN tomatoes USING (ID)
    WHERE omdb.Year BETWEEN 2000 AND 2009 AND tomatoes.Meter >= 90 AND tomatoes.Reviews >= 100
    """
).fetchone()
print(count)
