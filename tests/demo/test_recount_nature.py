"""The nature tasks' golds, recomputed without the reference programs' way of reading and joining."""

import csv
import datetime as dt
import json
import statistics
from collections import Counter

import pandas as pd
import pytest

pytestmark = pytest.mark.xdist_group("demo")


def test_nitrogen_range(data_file, golds):
    """A data frame, which leaves out missing measurements, has the same extremes."""
    samples = pd.read_csv(data_file("palmer-station-penguins/penguins-raw.csv"))
    nitrogen = samples.groupby("Species")["Delta 15 N (o/oo)"].agg(["min", "max"])
    low, high = nitrogen.loc["Gentoo penguin (Pygoscelis papua)"]
    assert f"{low:.2f}-{high:.2f}" == golds["nitrogen_range"]


def test_mean_alcohol_of_rated_wines(rows, golds):
    """The mean of alcohol is a plain one."""
    alcohol = [float(row["alcohol"]) for row in rows("food-quality-and-farms/red_wine_quality.csv")]
    assert f"{statistics.fmean(alcohol):.2f}" == golds["mean_alcohol_of_rated_wines"]


def test_distinct_colour_names(data_file, golds):
    """No notation lacks a name, so the distinct names are the answer."""
    names = pd.read_csv(data_file("soils-and-rivers/soil_munsell_colors.csv"))["traditional_name"]
    assert names.notna().all()
    assert str(names.nunique()) == golds["distinct_colour_names"]


def test_aid_and_rearrest(rows, golds):
    """Arrests are counted over men with and without aid."""
    men = Counter()
    arrests = Counter()
    for row in rows("durations-and-censoring/rossi.csv"):
        men[row["fin"]] += 1
        arrests[row["fin"]] += int(row["arrest"])
    share = {aid: 100 * arrests[aid] / men[aid] for aid in men}
    assert share["1"] < share["0"]
    assert f"Yes; {share['1']:.1f}%; {share['0']:.1f}%" == golds["aid_and_rearrest"]


def test_weekday_of_high_glucose(rows, golds):
    """The standard library's calendar names the day."""
    values = {}
    for row in rows("continuous-glucose-monitor/CGM.csv.gz"):
        day = dt.datetime.fromisoformat(row["datetime"]).strftime("%A")
        values.setdefault(day, []).append(float(row["glucose"]))
    means = {day: statistics.fmean(readings) for day, readings in values.items()}
    assert max(means, key=means.get) == golds["weekday_of_high_glucose"]


def test_renamed_bacterium(rows, data_file, golds):
    """Doses identify the bacterium that the two tables name differently."""
    table = {}
    for row in rows("bacteria-and-antibiotics/antibiotics.csv", skipinitialspace=True):
        table[row["bacteria"]] = tuple(float(row[drug]) for drug in ("penicillin", "streptomycin", "neomycin"))
    records = json.loads(data_file("biology-chart-samples/burtin.json").read_text())
    other = {r["Bacteria"]: (r["Penicillin"], r["Streptomycin"], r["Neomycin"]) for r in records}
    (lonely,) = set(table) - set(other)
    (name,) = (bacterium for bacterium, doses in other.items() if doses == table[lonely])
    resistant = sum(doses[0] >= 100 for doses in table.values())
    assert f"{lonely}; {name}; {resistant}" == golds["renamed_bacterium"]


def test_same_patients_in_two_files(rows, golds):
    """Patients are matched through a dictionary of what both tables record."""
    trial_key = ("age", "tsize", "pnodes", "progrec", "estrec", "time", "cens")
    register_key = ("age", "size", "nodes", "prog_recp", "estrg_recp", "rectime", "censrec")
    trial = {tuple(row[k] for k in trial_key): row for row in rows("survival-cohorts/gbsg2.csv")}
    register = {tuple(row[k] for k in register_key): row for row in rows("survival-cohorts/lymph_node.csv")}
    linked = [(trial[key], register[key]) for key in trial if key in register]

    def median(therapy):
        dead = (r for t, r in linked if r["censdead"] == "1" and t["horTh"] == therapy)
        return statistics.median(float(r["survtime"]) for r in dead)

    years = Counter(r["diagdateb"][-4:] for _, r in linked)
    third = [r["censdead"] == "1" for t, r in linked if t["tgrade"] == "III"]
    parts = [str(len(linked)), f"{median('yes'):.1f}", f"{median('no'):.1f}"]
    parts += [max(sorted(years), key=years.get), f"{100 * sum(third) / len(third):.1f}%"]
    assert "; ".join(parts) == golds["same_patients_in_two_files"]


def test_carbon_jump_and_warm_sea(rows, golds):
    """Yearly means and ranks computed with lists and sorting agree."""
    weeks = {}
    for row in rows("climate-and-sun/co2.csv"):
        if row["co2"]:
            weeks.setdefault(int(row["date"][:4]), []).append(float(row["co2"]))
    means = {year: statistics.fmean(values) for year, values in weeks.items() if len(values) >= 45}
    rises = {year: means[year] - means[year - 1] for year in means if year - 1 in means}
    sea = {}
    for row in rows("climate-and-sun/elnino.csv"):
        year = int(row.pop("YEAR"))
        sea[year] = statistics.fmean(float(value) for value in row.values())
    years = sorted(set(rises) & set(sea))
    top = max(years, key=rises.get)
    by_warmth = sorted(years, key=sea.get, reverse=True)
    correlation = statistics.correlation([rises[y] for y in years], [sea[y] for y in years])
    rank = by_warmth.index(top) + 1
    answer = f"{top}; {rises[top]:.2f}; {by_warmth[0]}; {rank}; {correlation:.2f}"
    assert answer == golds["carbon_jump_and_warm_sea"]


def test_smoking_and_birth_weight(rows, golds):
    """Each study is weighed on its own; the second states grams."""
    births = []
    for study, factor in (("bwght", 28.3495), ("bwght2", 1.0)):
        recorded = (row for row in rows(f"births-and-health-habits/{study}.csv") if row["cigs"])
        births += [(study, int(float(row["cigs"])), float(row["bwght"]) * factor) for row in recorded]

    def deficit(study):
        smokers = [weight for where, cigarettes, weight in births if where == study and cigarettes]
        others = [weight for where, cigarettes, weight in births if where == study and not cigarettes]
        return statistics.fmean(others) - statistics.fmean(smokers)

    first, second = deficit("bwght"), deficit("bwght2")
    weights = [weight for _, cigarettes, weight in births if cigarettes]
    low = 100 * sum(weight < 2500 for weight in weights) / len(weights)
    heavy = sum(cigarettes >= 20 for _, cigarettes, _ in births)
    larger = "ounces" if first > second else "grams"
    assert f"{first:.0f}; {second:.0f}; {larger}; {low:.1f}%; {heavy}" == golds["smoking_and_birth_weight"]


def test_what_is_most_often_missing(data_file, golds):
    """Exported to text and read as text, the empty cells give the same variable and count."""
    folder = "epidemiology-follow-up"
    text = pd.read_stata(data_file(f"{folder}/nhefs.dta"), convert_categoricals=False).to_csv(index=False)
    alive = [row for row in csv.DictReader(text.splitlines()) if float(row["death"]) == 0]
    gaps = Counter(name for row in alive for name, value in row.items() if value == "")
    for name in ("yrdth", "modth", "dadth"):
        del gaps[name]
    ((name, count),) = gaps.most_common(1)
    book = pd.read_stata(data_file(f"{folder}/nhefs_codebook.dta"))
    meaning = dict(zip(book["variable"], book["description"], strict=True))[name]
    assert f"{meaning}; {count}" == golds["what_is_most_often_missing"]
