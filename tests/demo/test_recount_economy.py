"""The economy tasks' golds, recomputed by other means than the reference programs use."""

import math
import statistics

import pandas as pd
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

pytestmark = pytest.mark.xdist_group("demo")


def column(rows, name):
    return [float(row[name]) for row in rows if row[name] != ""]


def mean_by(rows, key, value):
    groups = {}
    for row in rows:
        if row[value] != "":
            groups.setdefault(row[key], []).append(float(row[value]))
    return {group: statistics.fmean(values) for group, values in groups.items()}


def test_mean_schooling(rows, golds):
    """The mean of educ is a plain sum over a count."""
    educ = column(rows("cps-wage-surveys/wage1.csv"), "educ")
    assert len(educ) == 526
    assert f"{sum(educ) / len(educ):.2f}" == golds["mean_schooling_1976"]


def test_distinct_counties(data_file, golds):
    """Arrow's own distinct count agrees."""
    table = pq.read_table(data_file("crime-and-justice/countymurders.parquet"))
    assert str(pc.count_distinct(table["countyid"]).as_py()) == golds["distinct_counties"]


def test_share_of_loans_approved(data_file, golds):
    """A data frame's mean of approvals agrees."""
    approve = pd.read_csv(data_file("house-prices-and-rents/loanapp.csv.bz2"))["approve"]
    assert set(approve) == {0, 1}
    assert f"{100 * approve.mean():.2f}%" == golds["share_of_loans_approved"]


def test_highest_executive_salary(data_file, golds):
    """A data frame has the same maximum, and the look-alike's maximum is another."""
    tops = [pd.read_excel(data_file(f"executive-and-faculty-pay/ceosal{n}.xlsx"))["salary"].max() for n in (1, 2)]
    assert str(tops[1]) == golds["highest_executive_salary"]
    assert tops[0] != tops[1]


def solve(matrix, right):
    """Solve a linear system by Gaussian elimination with pivoting."""
    size = len(right)
    rows = [[*line, value] for line, value in zip(matrix, right, strict=True)]
    for i in range(size):
        pivot = max(range(i, size), key=lambda k: abs(rows[k][i]))
        rows[i], rows[pivot] = rows[pivot], rows[i]
        for k in range(i + 1, size):
            factor = rows[k][i] / rows[i][i]
            rows[k] = [a - factor * b for a, b in zip(rows[k], rows[i], strict=True)]
    solution = [0.0] * size
    for i in reversed(range(size)):
        known = sum(rows[i][k] * solution[k] for k in range(i + 1, size))
        solution[i] = (rows[i][size] - known) / rows[i][i]
    return solution


def test_training_trial_and_survey(rows, golds):
    """Normal equations solved by hand give the regression coefficient; the rest are means."""
    trial = rows("job-training-programmes/jtrain2.csv.bz2")
    survey = rows("job-training-programmes/jtrain3.csv.bz2")
    effects = [mean_by(table, "train", "re78") for table in (trial, survey)]
    names = ["train", "re74", "re75", "age", "agesq", "educ", "black", "hisp", "married"]
    design = [[1.0, *(float(row[name]) for name in names)] for row in survey]
    outcome = [float(row["re78"]) for row in survey]
    size = len(names) + 1
    products = [[sum(line[i] * line[k] for line in design) for k in range(size)] for i in range(size)]
    right = [sum(line[i] * y for line, y in zip(design, outcome, strict=True)) for i in range(size)]
    idle = statistics.fmean(column(trial, "unem74"))
    idle_outside = mean_by(survey, "train", "unem74")["0"]
    parts = [f"{effect['1'] - effect['0']:.2f}" for effect in effects]
    parts += [f"{solve(products, right)[1]:.2f}", f"{100 * idle:.1f}%", f"{100 * idle_outside:.1f}%"]
    assert "; ".join(parts) == golds["training_trial_and_survey"]


def test_executions_and_murder_rate(rows, golds):
    """Names are matched by their letters alone."""
    murder = {}
    for row in rows("state-crime-and-punishment/statecrime.csv"):
        murder[row["state"].strip()] = (float(row["murder"]), float(row["violent"]))
    chosen = {
        row["STATE"].replace("_", " "): int(row["EXECUTIONS"])
        for row in rows("state-crime-and-punishment/cpunish.csv")
        if float(row["DEGREE"]) >= 0.2
    }
    worst = min(chosen, key=lambda state: (-murder[state][0], state))
    many = statistics.fmean(murder[state][0] for state, count in chosen.items() if count > 1)
    one = statistics.fmean(murder[state][0] for state, count in chosen.items() if count == 1)
    correlation = statistics.correlation(*zip(*(murder[state] for state in chosen), strict=True))
    answer = f"{len(chosen)}; {worst}; {murder[worst][0]:.1f}; {many - one:.2f}; {correlation:.2f}"
    assert answer == golds["executions_and_murder_rate"]


def test_gender_gap_over_years(rows, golds):
    """Gaps are ratios of geometric means of wages."""
    workers = [("76", row) for row in rows("cps-wage-surveys/wage1.csv")]
    workers += [(row["year"], row) for row in rows("cps-wage-surveys/cps78_85.csv")]

    def wages(year, female, least_educ=0.0):
        return [
            math.exp(float(row["lwage"]))
            for at, row in workers
            if at == year and row["female"] == female and float(row["educ"]) >= least_educ
        ]

    def gap(year, least_educ=0.0):
        women, men = (statistics.geometric_mean(wages(year, sex, least_educ)) for sex in "10")
        return 100 * (1 - women / men)

    gaps = {year: gap(year) for year in ("76", "78", "85")}
    schooling = mean_by(rows("cps-wage-surveys/cps78_85.csv"), "year", "educ")
    assert set(schooling) == {"78", "85"}
    last = [row for row in rows("cps-wage-surveys/cps78_85.csv") if row["year"] == "85"]
    lead = mean_by(last, "female", "educ")
    parts = [f"19{max(gaps, key=gaps.get)}", *(f"{value:.1f}%" for value in gaps.values())]
    parts += [f"{gap('85', 16.0):.1f}%", f"{lead['1'] - lead['0']:.2f}"]
    assert "; ".join(parts) == golds["gender_gap_over_years"]


def test_growth_figures_disagree(rows, golds):
    """Sums of four quarters grow like their means."""
    levels = {}
    for row in rows("us-macro-quarterly/macrodata.csv"):
        levels.setdefault(int(float(row["year"])), []).append(float(row["realgdp"]))
    totals = {year: sum(values) for year, values in levels.items() if len(values) == 4}
    growth = {year: 100 * (totals[year] / totals[year - 1] - 1) for year in totals if year - 1 in totals}
    recorded = {int(row["year"]): float(row["pcrgdp"]) for row in rows("macro-time-series/okun.csv")}
    gaps = {year: abs(growth[year] - recorded[year]) for year in growth if year in recorded}
    year = max(gaps, key=gaps.get)
    close = sum(gap < 0.1 for gap in gaps.values())
    assert f"{year}; {growth[year]:.2f}%; {close}" == golds["growth_figures_disagree"]


def test_month_of_most_claims(rows, golds):
    """The month's abbreviation is the beginning of the answer."""
    means = mean_by(rows("macro-time-series/claims/ezanders.csv"), "month", "uclms")
    assert golds["month_of_most_claims"].upper().startswith(max(means, key=means.get))


def test_phillips_slope(rows, golds):
    """The standard library's regression has the same slope."""
    years = [row for row in rows("macro-time-series/phillips.csv") if row["inf"] and row["unem"]]
    line = statistics.linear_regression(column(years, "unem"), column(years, "inf"))
    assert f"Yes; {line.slope:.2f}" == golds["phillips_slope"]
