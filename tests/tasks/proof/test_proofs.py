"""From a notebook to proofs: good results are proven, bad ones fall for the right reason."""

import json

import pytest

from coda_bench.records.anchor import Unfit
from coda_bench.records.environment import Column, DataTable, FileProfile
from coda_bench.records.proof import Effect
from coda_bench.tasks.proof.replay import replay

pytestmark = pytest.mark.xdist_group("proofs")

READ = (
    'import pandas as pd\nbirds = pd.read_csv("../input/penguins/birds.csv")\n'
    'areas = pd.read_csv("../input/islands/areas.csv")'
)
MEANS = "species\nAdelie       3637.5\nChinstrap    3725.0\nGentoo       5016.666667\nName: mass, dtype: float64"


@pytest.fixture(scope="module")
def proven(notebook, examined, older):
    """A notebook with results of one and of two files."""
    path = notebook(
        "good",
        [
            (READ, ""),
            ('unused = birds["year"] + 1', ""),
            ('birds.groupby("species")["mass"].mean()', MEANS),
            (
                'both = birds.merge(areas, on="island")\nprint(f"mean area {both[\'area\'].mean():.3f}")',
                "> mean area 6.875",
            ),
            ('birds.to_csv("out.csv")\nbirds["mass"] = 0', ""),
        ],
    )
    return examined(path, older)


def test_a_result_is_proven_from_the_least_statements_and_files(proven):
    means, area = proven.proofs
    assert [cell.source for cell in means.program] == [
        'import pandas as pd\nbirds = pd.read_csv("../input/penguins/birds.csv")',
        'birds.groupby("species")["mass"].mean()',
    ]
    assert [file.path for file in means.files] == ["penguins/birds.csv"]
    assert [file.path for file in area.files] == ["islands/areas.csv", "penguins/birds.csv"]
    assert (means.lines, means.notebook_lines) == (3, 9)


def test_a_proof_says_under_what_it_held_and_what_it_needs(proven):
    area = proven.proofs[1]
    first, second = area.sufficient
    assert first.hash_seed != second.hash_seed
    assert first.threads != second.threads
    assert first.folder != second.folder
    assert second.clock_s - first.clock_s > 31 * 86400
    assert [(one.path, one.effect) for one in area.necessary] == [
        ("islands/areas.csv", Effect.FAILS),
        ("penguins/birds.csv", Effect.FAILS),
    ]
    assert [(one.generation, one.effect) for one in area.elsewhere] == [("older", Effect.SAME)]
    assert area.sensitive_to


def test_each_part_is_kept_in_full_precision_with_what_was_shown(proven):
    (means,) = proven.proofs[0].candidates
    gentoo = next(leaf for leaf in means.leaves if leaf.path[0].label == ("s", "Gentoo"))
    assert gentoo.value == ("f", pytest.approx(5016.666666666667, abs=1e-9))
    assert (gentoo.shown, gentoo.decimals) == ("5016.666667", 6)


def test_proving_again_gives_the_same_bytes(proven, notebook, examined, older):
    cells = json.loads((notebook("x", []).parent / "good.ipynb").read_text())["cells"]
    again = notebook("good", [(cell["source"], cell["outputs"]) for cell in cells])
    assert examined(again, older).model_dump_json() == proven.model_dump_json()


def test_a_stored_proof_holds_when_it_is_run_again(proven, data, environment, older):
    for proof in proven.proofs:
        found = replay(proof, data, environment, [older])
        assert [one for one in found if not one.holds] == []
        assert "sufficient" in {one.claim for one in found}


def test_a_proof_does_not_hold_over_other_content(proven, data, environment, tmp_path):
    for folder in data.iterdir():
        for file in folder.iterdir():
            (tmp_path / "d" / folder.name).mkdir(parents=True, exist_ok=True)
            (tmp_path / "d" / folder.name / file.name).write_text(file.read_text().replace("5250", "5000"))
    found = {one.claim: one for one in replay(proven.proofs[0], tmp_path / "d", environment)}
    assert not found["file penguins/birds.csv"].holds
    assert not found["sufficient"].holds


BAD = {
    Unfit.STALE: ('birds["mass"].sum()', "40,999"),
    Unfit.SHAPE: ("len(birds)", "10"),
    Unfit.HEAD: (
        "birds.head(2)",
        "  species  island  mass  year\n0  Adelie   Dream  3700  2007\n1  Adelie  Biscoe  3550  2007",
    ),
    Unfit.ROWS: ('birds.loc[3, "mass"]', "5000"),
    Unfit.CONSTANT: ("6 * 7", "42"),
    Unfit.VERSION: ("pd.__version__", "'3.1.1'"),
    Unfit.UNSTABLE: ("import random\nrandom.random()", "0.123456789"),
    Unfit.RANDOM: ('import numpy as np\nnp.random.seed(1)\nbirds["mass"].sample(3, random_state=1).mean()', "3650.0"),
    Unfit.OPAQUE: ("class Model:\n    def __repr__(self):\n        return 'model 7'\n\nModel()", "model 7"),
    Unfit.LIBRARY_PRINTS: ("import sys\nx = sys.stdout.write('7 of 9\\n')", "> 7 of 9"),
    Unfit.UNPARSED: ("print 3", "> 3"),
    Unfit.NETWORK: ("import urllib.request\nprint(len(urllib.request.urlopen('http://example.com').read()))", "> 1256"),
    Unfit.READ_ONLY: ('birds.to_csv("../input/penguins/birds.csv")\nbirds["mass"].max()', "5250"),
    Unfit.NOT_RUN: ('birds["no such column"].mean()', "5.5"),
    Unfit.INSENSITIVE: ("min(int(birds['mass'].max()), 3)", "3"),
    Unfit.MODEL_METRIC: (
        (
            "from sklearn.linear_model import LinearRegression\nx, y = birds[['year']], birds['mass']\n"
            "print(round(LinearRegression().fit(x, y).score(x, y), 6))"
        ),
        "> 0.003173",
    ),
}


@pytest.fixture(scope="module")
def fates(notebook, examined):
    """By reason, what became of the only numeric cell of a notebook that is bad for it."""
    found = {}
    for why, (source, stored) in BAD.items():
        done = examined(notebook(f"bad-{why}", [(READ, ""), (source, stored)]))
        found[why] = done
    return found


@pytest.mark.parametrize("why", BAD)
def test_a_bad_result_falls_for_the_right_reason(fates, why):
    done = fates[why]
    assert done.proofs == ()
    assert [dict(cell.unfit) for cell in done.cells] == [{why: 1}], done.trouble


def test_cells_run_in_another_order_than_they_stand_in_are_named_as_such(notebook, examined):
    path = notebook("order", [(READ, ""), ("late.sum()", "40775"), ('late = birds["mass"]', "")])
    document = json.loads(path.read_text())
    for cell, count in zip(document["cells"], (1, 3, 2), strict=True):
        cell["execution_count"] = count
    path.write_text(json.dumps(document))
    assert [dict(cell.unfit) for cell in examined(path).cells] == [{Unfit.OUT_OF_ORDER: 1}]


def test_a_value_that_another_generation_gives_otherwise_drifts(notebook, examined, older):
    source = (
        READ + '\nbirds["mass"] = birds["mass"].where(birds["mass"] > 3600)\nbirds["mass"].fillna(0, inplace=True)\n'
        'birds["mass"].mean()'
    )
    done = examined(notebook("drift", [(source, "3382.5")]), older)
    assert done.generation == "older"
    assert [(one.why, one.detail) for one in done.fallen] == [(Unfit.DRIFTING, "current")]


def test_a_file_that_is_read_and_does_not_matter_is_no_target(notebook, examined):
    source = (
        READ.replace("\nareas", '\nignored = open("../input/islands/areas.csv").read()\nareas')
        + "\nbirds['x'] = len(ignored) * 0"
    )
    done = examined(notebook("spare", [(source + '\nbirds["mass"].mean()', "4077.5")]))
    # Its text is needed for the statement to run, so it stays; the table read beside it is not in the slice.
    assert [[file.path for file in proof.files] for proof in done.proofs] == [
        ["islands/areas.csv", "penguins/birds.csv"]
    ]
    tolerant = (
        'import os\nimport pandas as pd\nbirds = pd.read_csv("../input/penguins/birds.csv")\n'
        'extra = open("../input/islands/areas.csv").read() if os.path.exists("../input/islands/areas.csv") else ""\n'
        "birds['x'] = len(extra) * 0\nbirds['mass'].mean()"
    )
    done = examined(notebook("tolerant", [(tolerant, "4077.5")]))
    assert [[file.path for file in proof.files] for proof in done.proofs] == [["penguins/birds.csv"]]


def test_a_look_alike_that_gives_another_answer_is_a_decoy(notebook, examined):
    def profile(path):
        columns = tuple(Column(name=name, type="text") for name in ("species", "island", "mass", "year"))
        table = DataTable(rows=10, columns=columns, n_columns=4)
        return FileProfile(path=path, bytes=1, sha256=path, format="csv", tables=(table,))

    profiles = [profile("penguins/birds.csv"), profile("other-penguins/birds.csv")]
    path = notebook("decoy", [(READ, ""), ('birds["mass"].mean()', "4077.5"), ('birds["mass"].max()', "5250")])
    done = examined(path, profiles=profiles)
    assert [[(one.path, one.effect) for one in proof.decoys] for proof in done.proofs] == [
        [("other-penguins/birds.csv", Effect.OTHER)],
        [("other-penguins/birds.csv", Effect.SAME)],
    ]


HOSTILE = {
    "reads host files": "print(len(open('/etc/shadow').read()))",
    "forks": "import os\nwhile True:\n    os.fork()",
    "sleeps": "import time\ntime.sleep(10_000)",
    "fills the disk": "with open('big', 'wb') as f:\n    while True:\n        f.write(b'x' * (1 << 24))",
    "prints without end": "while True:\n    print('x' * 100_000)",
    "kills its kernel": "import os, signal\nos.kill(os.getppid(), signal.SIGKILL)",
    "takes all memory": "x = [0] * 10**12",
    "patches the comparison": (
        "import builtins, json\njson.dumps = lambda *a, **k: '{}'\nbuiltins.abs = builtins.round = lambda *a: 0\n"
        "class Always(float):\n    def __eq__(self, other):\n        return True\n    __hash__ = None\nAlways(1.0)"
    ),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_a_hostile_notebook_costs_one_rejected_notebook(what, notebook, examined, data):
    before = {path: path.read_bytes() for path in data.rglob("*.csv")}
    cells = [(READ, ""), (HOSTILE[what], "> 1.5"), ("birds['mass'].mean()", "1.5")]
    done = examined(notebook(f"hostile-{what.replace(' ', '-')}", cells), limit_s=4.0)
    assert done.proofs == ()
    assert {path: path.read_bytes() for path in data.rglob("*.csv")} == before
