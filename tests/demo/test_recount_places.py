"""The places tasks' golds, recomputed in SQL or plain Python."""

import csv
import io
import sqlite3
import statistics
from collections import Counter, defaultdict
from itertools import pairwise
from operator import itemgetter

import pandas as pd
import pytest

pytestmark = pytest.mark.xdist_group("demo")

FOLDER = "new-york-departures-2013"
MONTHS = ["January", "February", "March", "April", "May", "June", "July", "August"]
MONTHS += ["September", "October", "November", "December"]


HOUR = ["origin", "year", "month", "day", "hour"]
TABLES = {
    "flights.csv.zip": [*HOUR, "carrier", "tailnum", "dep_delay", "arr_delay"],
    "weather.csv": [*HOUR, "precip", "visib"],
    "planes.csv": ["tailnum", "manufacturer"],
    "airlines.csv": ["carrier", "name"],
}


@pytest.fixture(scope="module")
def database(text):
    """New York's flights, planes, airlines and weather as SQLite tables of numbers and text."""
    connection = sqlite3.connect(":memory:")
    for name, columns in TABLES.items():
        table = name.split(".")[0]
        connection.execute(f"CREATE TABLE {table} ({', '.join(f'{column} NUMERIC' for column in columns)})")
        header, *body = csv.reader(io.StringIO(text(f"{FOLDER}/{name}")))
        chosen = itemgetter(*(header.index(column) for column in columns))
        values = ([None if cell in {"", "NA"} else cell for cell in chosen(row)] for row in body)
        places = ", ".join("?" * len(columns))
        connection.executemany(f"INSERT INTO {table} VALUES ({places})", values)
    yield connection
    connection.close()


def test_late_carriers_and_builders(database, golds):
    """SQL finds the same airline, manufacturer and shares."""
    carrier, delay = database.execute(
        "SELECT carrier, avg(arr_delay) AS delay FROM flights WHERE arr_delay IS NOT NULL "
        "GROUP BY carrier HAVING count(*) >= 10000 ORDER BY delay DESC LIMIT 1"
    ).fetchone()
    (name,) = database.execute("SELECT name FROM airlines WHERE carrier = ?", [carrier]).fetchone()
    builders = database.execute(
        "SELECT manufacturer, count(*) AS n FROM flights JOIN planes USING (tailnum) "
        "WHERE arr_delay IS NOT NULL AND carrier = ? GROUP BY manufacturer ORDER BY n DESC",
        [carrier],
    ).fetchall()
    share = 100 * builders[0][1] / sum(count for _, count in builders)
    (caught_up,) = database.execute(
        "SELECT 100.0 * sum(arr_delay <= 0) / count(*) FROM flights WHERE dep_delay > 0 AND arr_delay IS NOT NULL"
    ).fetchone()
    answer = f"{name}; {delay:.2f}; {builders[0][0]}; {share:.1f}%; {caught_up:.1f}%"
    assert answer == golds["late_carriers_and_builders"]


def test_rain_and_departures(database, golds):
    """SQL over the first weather record of each hour gives the same costs of rain and fog."""
    database.execute(
        "CREATE TEMP TABLE joined AS SELECT origin, month, dep_delay, precip > 0 AS wet, visib "
        "FROM flights JOIN (SELECT * FROM weather GROUP BY origin, year, month, day, hour HAVING min(rowid)) "
        "USING (origin, year, month, day, hour) WHERE dep_delay IS NOT NULL"
    )
    airport, cost = database.execute(
        "SELECT origin, avg(CASE WHEN wet THEN dep_delay END) - avg(CASE WHEN NOT wet THEN dep_delay END) AS cost "
        "FROM joined GROUP BY origin ORDER BY cost DESC LIMIT 1"
    ).fetchone()
    fog, share = database.execute(
        "SELECT avg(CASE WHEN visib < 1 THEN dep_delay END) - avg(CASE WHEN visib >= 10 THEN dep_delay END), "
        "100.0 * sum(wet) / count(*) FROM joined"
    ).fetchone()
    (month,) = database.execute(
        "SELECT month FROM joined WHERE wet GROUP BY month ORDER BY avg(dep_delay) DESC LIMIT 1"
    ).fetchone()
    answer = f"{airport}; {cost:.2f}; {fog:.2f}; {share:.2f}%; {MONTHS[month - 1]}"
    assert answer == golds["rain_and_departures"]


def test_airport_with_most_destinations(data_file, golds):
    """Data frames joined by airport code give the same hub, and no other reaches as many."""
    routes = pd.read_csv(data_file("airline-route-map/routes.csv.gz"))
    airports = pd.read_csv(data_file("airline-route-map/airports.csv"))
    reached = routes.drop_duplicates(["Source", "Destination"])["Source"].value_counts().rename("reached")
    named = airports.merge(reached, left_on="IATA", right_index=True).nlargest(2, "reached")
    assert named["reached"].iloc[0] > named["reached"].iloc[1]
    assert f"{named['Name'].iloc[0]}; {named['reached'].iloc[0]}" == golds["airport_with_most_destinations"]


def test_distinct_plane_makers(database, golds):
    """SQL counts the same manufacturers."""
    (count,) = database.execute("SELECT count(DISTINCT manufacturer) FROM planes").fetchone()
    assert str(count) == golds["distinct_plane_makers"]


def test_share_of_rainy_days(rows, golds):
    """Days are counted by their kind of weather."""
    days = Counter(row["weather"] for row in rows("west-coast-weather/seattle-weather.csv"))
    assert f"{100 * days['rain'] / days.total():.2f}%" == golds["share_of_rainy_days"]


def test_hours_warmer_in_the_north(rows, golds):
    """The hours of both cities are matched by the first sixteen characters of their time."""
    north = {row["date"][:16]: float(row["temp"]) for row in rows("west-coast-weather/seattle-temps.csv")}
    south = {row["date"][:16]: float(row["temp"]) for row in rows("west-coast-weather/sf-temps.csv")}
    lead = {time: north[time] - south[time] for time in north if time in south}
    warmer = [time for time, value in lead.items() if value > 0]

    def means(cut):
        groups = defaultdict(list)
        for time, value in lead.items():
            groups[time[cut]].append(value)
        return {group: statistics.fmean(values) for group, values in groups.items()}

    months, days = means(slice(5, 7)), means(slice(0, 10))
    month = max(months, key=months.get)
    hour = Counter(time[11:13] for time in warmer).most_common(1)[0][0]
    parts = [str(len(warmer)), f"{100 * len(warmer) / len(lead):.2f}%", MONTHS[int(month) - 1]]
    parts += [f"{months[month]:.2f}", str(int(hour)), min(days, key=days.get).replace("/", "-")]
    assert "; ".join(parts) == golds["hours_warmer_in_the_north"]


def test_emissions_by_region(rows, golds):
    """Dictionaries of countries joined by name give the same weighted means."""
    region = {row["Country"]: row["Group"] for row in rows("nations-in-figures/gapminder_regions.csv")}
    emitted = {
        row["country"]: float(row["emissions"])
        for row in rows("carbon-emissions-by-nation/emissions.csv.gz")
        if float(row["year"]) == 2010 and row["emissions"]
    }
    sums = defaultdict(lambda: [0.0, 0.0, 0.0])
    countries = 0
    for row in rows("nations-in-figures/gapminder.csv.gz"):
        complete = row["population"] and row["life_expectancy"]
        if row["year"] == "2010" and complete and row["country"] in emitted and row["country"] in region:
            people = float(row["population"])
            total = sums[region[row["country"]]]
            total[0] += people
            total[1] += people * emitted[row["country"]]
            total[2] += people * float(row["life_expectancy"])
            countries += 1
    per_person = {name: tonnes / people for name, (people, tonnes, _) in sums.items()}
    high, low = max(per_person, key=per_person.get), min(per_person, key=per_person.get)
    parts = [high, f"{per_person[high]:.2f}", f"{sums[high][2] / sums[high][0]:.1f}"]
    parts += [low, f"{per_person[low]:.2f}", str(countries)]
    assert "; ".join(parts) == golds["emissions_by_region"]


def test_survival_with_and_without_crew(rows, data_file, golds):
    """The stored codes of the Stata file, not its labels, give the same rate."""
    passengers = [int(row["survived"]) for row in rows("titanic-passenger-list/titanic_all.csv")]
    people = pd.read_stata(data_file("titanic-on-board/titanic.dta"), convert_categoricals=False)
    codes = people["survived"].tolist()
    gap = 100 * sum(passengers) / len(passengers) - 100 * sum(codes) / len(codes)
    assert set(codes) == {0, 1}
    assert f"{gap:.2f}" == golds["survival_with_and_without_crew"]


def test_acclaimed_films(data_file, golds):
    """The two tables joined in Python, row by row, give the same count."""
    connection = sqlite3.connect(f"file:{data_file('films-and-ratings/movies.db')}?mode=ro", uri=True)
    years = dict(connection.execute("SELECT ID, Year FROM omdb"))
    critics = connection.execute("SELECT ID, Meter, Reviews FROM tomatoes").fetchall()
    connection.close()
    count = sum(
        years[key] in range(2000, 2010) and (meter or 0) >= 90 and (reviews or 0) >= 100
        for key, meter, reviews in critics
    )
    assert str(count) == golds["acclaimed_films"]


def test_best_day_of_a_share(rows, golds):
    """The largest ratio of neighbouring days is on the same date."""
    days = sorted(
        (row["Date"], float(row["Adj Close"]))
        for row in rows("daily-stock-prices/stocks.csv.gz")
        if row["Ticker"] == "AAPL"
    )
    gains = {date: price / before for (_, before), (date, price) in pairwise(days)}
    assert max(gains, key=gains.get) == golds["best_day_of_a_share"]
