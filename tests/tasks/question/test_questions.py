"""Questions without a model: each says what its expression computes, or none is asked."""

import pytest

from coda_bench.records.anchor import Candidate, Leaf, Place, Step
from coda_bench.records.environment import Column, DataTable, FileProfile
from coda_bench.tasks.question.compose import questions
from coda_bench.tasks.question.context import Unclear, introduced
from coda_bench.tasks.question.leaks import leaks
from coda_bench.tasks.question.meaning import NoWords, words

READ = (
    'import pandas as pd\nimport numpy as np\nbirds = pd.read_csv("../input/penguins/birds.csv")\n'
    'islands = pd.read_csv("b.csv")'
)


def step(kind, label, place=0):
    return Step(kind=kind, label=("s", label) if isinstance(label, str) else ("i", label), place=place)


def asked(expression, *, statements="", kind="scalar", path=(), value=("f", 2.0), decimals=2, more=(), percent=False):
    """Return the first question of an expression, its guideline and its answer."""
    leaf = Leaf(path=tuple(path), value=value, shown="", decimals=decimals, as_percent=percent)
    candidate = Candidate(
        notebook="n",
        place=Place(cell=2, position=0, number=0, occurrence=0),
        role="result",
        expression=expression,
        label="",
        leaves=(leaf, *more),
        kind=kind,
    )
    return next(iter(questions(candidate, [READ, statements])))


@pytest.mark.parametrize(
    ("expression", "question"),
    [
        ("birds['body_mass'].mean()", "What is the mean of body mass?"),
        ("birds.body_mass.median()", "What is the median of body mass?"),
        ("round(birds['body_mass'].std(), 2)", "What is the sample standard deviation of body mass?"),
        ("birds['species'].nunique()", "What is the number of different values of species?"),
        ("birds['body_mass'].quantile(0.9)", "What is the 0.9 quantile of body mass?"),
        ("birds['a'].corr(birds['b'])", "What is the Pearson correlation of a and b?"),
        ("(birds['a'] > 3).sum()", "What is the number of records where a is above 3?"),
        ("100 * (birds['sex'] == 'male').mean()", "What is the share of records where sex is 'male', in percent?"),
        ("birds['a'].isna().sum()", "What is the number of records where a is missing?"),
        ("np.mean(birds['a'])", "What is the mean of a?"),
        (
            "birds[(birds['a'] > 3) & (birds['b'] <= 2)]['c'].max()",
            "Consider only records where a is above 3 and b is at most 2. What is the largest c?",
        ),
        (
            "len(birds[birds['a'].isin([1, 2])])",
            "Consider only records where a is one of 1 and 2. What is the number of records?",
        ),
        (
            "birds.dropna(subset=['a'])['b'].mean()",
            "Work without records that lack a value of a. What is the mean of b?",
        ),
        (
            "birds.merge(islands, on='island')['area'].mean()",
            "Work on two tables joined by island, only records that stand in both. What is the mean of area?",
        ),
        (
            "len(birds[birds['a'] > 3]) / len(birds)",
            "What is the number of records among records where a is above 3 divided by the number of records?",
        ),
        ("birds.groupby('species')['a'].mean().idxmax()", "What is the species for which the mean of a is highest?"),
    ],
)
def test_a_single_value_is_asked_for_in_words(expression, question):
    assert asked(expression).question == question


def test_names_are_followed_to_what_they_stand_for():
    statements = (
        "heavy = birds[birds['a'] > 3]\nheavy['ratio'] = heavy['b'] / heavy['c']\nresult = heavy['ratio'].mean()"
    )
    assert asked("result", statements=statements).question == (
        "Consider only records where a is above 3. What is the mean of ratio (taken as b divided by c)?"
    )


@pytest.mark.parametrize(
    ("expression", "path", "question"),
    [
        ("birds.groupby('species')['a'].mean()", [step("row", "Gentoo")], "What is the mean of a for species Gentoo?"),
        (
            "birds['species'].value_counts()",
            [step("row", "Gentoo", 1)],
            "What is the number of records with species Gentoo?",
        ),
        (
            "birds.groupby('species')['a'].agg(['mean', 'max'])",
            [step("row", "Gentoo"), step("column", "max")],
            "What is the largest value of a for species Gentoo?",
        ),
        (
            "birds.groupby(['species', 'sex'])['a'].mean().unstack()",
            [step("row", "Gentoo"), step("column", "male")],
            "What is the mean of a for species Gentoo and sex male?",
        ),
        ("birds.describe()", [step("row", "75%"), step("column", "a")], "What is the third quartile of a?"),
        ("birds.corr()", [step("row", "a"), step("column", "b_c")], "What is the Pearson correlation of a and b c?"),
        (
            "pd.crosstab(birds['island'], birds['species'])",
            [step("row", "Dream"), step("column", "Adelie")],
            "What is the number of records with island Dream and species Adelie?",
        ),
        (
            "birds.pivot_table(values='a', index='island', columns='year')",
            [step("row", "Dream"), step("column", 2007)],
            "What is the mean of a for island Dream and year 2007?",
        ),
    ],
)
def test_a_part_of_a_table_is_asked_for_by_its_labels(expression, path, question):
    kind = "frame" if any(one.kind == "column" for one in path) else "series"
    assert asked(expression, kind=kind, path=path).question == question


def test_the_first_of_a_sorted_table_is_asked_for_with_its_label():
    second = Leaf(path=(step("row", "Adelie", 1),), value=("i", 3), shown="3", decimals=0)
    found = asked(
        "birds['species'].value_counts()", kind="series", path=[step("row", "Gentoo")], value=("i", 4), more=(second,)
    )
    assert found.question == "Which species do the most records have, and what is the number of such records?"
    assert found.answer == "Gentoo; 4"


def test_a_tie_at_the_top_is_not_asked_for():
    second = Leaf(path=(step("row", "Adelie", 1),), value=("i", 4), shown="4", decimals=0)
    found = asked(
        "birds['species'].value_counts()", kind="series", path=[step("row", "Gentoo")], value=("i", 4), more=(second,)
    )
    assert "Which" not in found.question


@pytest.mark.parametrize(
    "expression",
    [
        "birds['a'].apply(lambda x: x + 1).mean()",
        "birds.sample(3)['a'].mean()",
        "birds.nlargest(3, 'a')['b'].mean()",
        "birds.sort_values('a').head(3)['b'].mean()",
        "birds.head(5)['a'].mean()",
        "np.std(birds['a'])",
        "birds['a'].mean(numeric_only=True)",
        "birds['a'].iloc[3]",
        "int(birds['a'].mean())",
        "birds['a'].corr(birds[birds['b'] > 1]['a'])",
        "birds['a'] / islands['a']",
        "pd.read_csv('x.csv', nrows=5)['a'].mean()",
        "birds.merge(islands, left_on='a', right_on='b')['a'].mean()",
        "birds.drop(index=3)['a'].mean()",
        "birds['a'].value_counts().reset_index()",
        "unknown(birds)",
    ],
)
def test_what_has_no_exact_words_is_not_asked_for(expression):
    with pytest.raises(NoWords):
        asked(expression)


def test_a_statement_that_is_no_definition_leaves_no_words():
    with pytest.raises(NoWords, match="For statement"):
        asked("birds['a'].mean()", statements="for name in ['a']:\n    birds[name] = 1")


def test_rounding_is_as_shown_and_at_most_four_decimals():
    assert asked("birds['a'].mean()", value=("f", 1 / 3), decimals=2).answer == "0.33"
    assert asked("birds['a'].mean()", value=("f", 1 / 3), decimals=9).answer == "0.3333"
    assert "Round it to 2 decimal places." in asked("birds['a'].mean()", value=("f", 1 / 3), decimals=2).guideline


def test_a_value_whose_rounding_hangs_by_less_than_a_millionth_is_not_asked_for():
    with pytest.raises(StopIteration):
        asked("birds['a'].mean()", value=("f", 0.125), decimals=2)


def test_a_percentage_is_answered_with_its_sign():
    found = asked("(birds['a'] > 1).mean()", value=("f", 0.125), decimals=1, percent=True)
    assert (found.answer, "with the sign" in found.guideline) == ("12.5%", True)


def test_names_of_columns_become_words():
    assert [words(name) for name in ("body_mass_g", "lifeExp", "Type 1", "x")] == [
        "body mass g",
        "life Exp",
        "Type 1",
        "x",
    ]


@pytest.mark.parametrize(
    ("question", "answer", "found"),
    [
        ("What is the mean of body_mass_g?", "3", ["body_mass_g"]),
        ("What is the mean of body mass?", "3", []),
        ("What does birds.csv hold?", "3", ["birds.csv"]),
        ("In penguins-of-palmer, what is the mean?", "3", ["penguins-of-palmer"]),
        ("Is the mean of species above 412.5?", "412.5", ["412.5"]),
        ("What is the number of species?", "3", []),
    ],
)
def test_names_as_they_are_written_and_the_answer_leak(question, answer, found):
    assert leaks(question, answer, ["penguins-of-palmer/birds.csv"], ["species", "body_mass_g"]) == found


def profile(path, columns, rows=10):
    table = DataTable(
        rows=rows, columns=tuple(Column(name=one, type="text") for one in columns), n_columns=len(columns)
    )
    return FileProfile(path=path, bytes=1, sha256=path, format="csv", tables=(table,))


def test_a_question_is_introduced_by_the_title_and_by_columns_that_it_does_not_name():
    target = profile("p/a.csv", ["species", "body_mass", "island"])
    assert introduced("What is the mean of body mass?", "Birds of the south", [target], []) == (
        "An analysis headed “Birds of the south” uses a table that also gives species and island. "
        "What is the mean of body mass?"
    )


def test_columns_and_then_the_number_of_records_tell_look_alikes_apart():
    target = profile("p/a.csv", ["mass", "island", "year", "sex", "study"])
    other = profile("q/b.csv", ["mass", "island", "year", "sex"])
    twin = profile("r/c.csv", ["mass", "island", "year", "sex", "study"], rows=11)
    assert "gives study," in introduced("What is the mean of mass?", "", [target], [other])
    assert "holds 10 records" in introduced("What is the mean of mass?", "", [target], [twin])
    with pytest.raises(Unclear, match="c2"):
        introduced(
            "What is the mean of mass?", "", [target], [profile("s/c2.csv", ["mass", "study", "island", "year", "sex"])]
        )


def test_a_title_that_names_the_data_set_is_left_out():
    assert introduced("What?", "Penguins of Palmer", [profile("penguins-of-palmer/a.csv", [])], []) == (
        "There is a table. What?"
    )
