"""A release small enough to know by heart: two communities, seven files, four tasks; and runs over it."""

import json
from pathlib import Path
from typing import Any

import pytest

from coda_bench.records.attempt import Attempt, latest_attempts, read_journal
from coda_bench.run.batch import RunSummary, run_batch
from coda_bench.run.plan import RunOptions

CITIES = "city,country,population,coastal\nAro,Mali,120,no\nBex,Peru,300,yes\nCid,Peru,180,yes\nDun,Mali,400,no\n"
CITIES_OLD = "city,country,population,coastal\nAro,Mali,90,no\nBex,Peru,250,yes\n"
FISH = "species,length_mm,lake\nchar,210,Ness\nchar,260,Como\npike,540,Ness\nroach,120,Como\n"
CODE = "import pandas as pd\nfrom pathlib import Path\n"


@pytest.fixture
def release(tmp_path: Path) -> Path:
    """Write the release and return its directory."""
    root = tmp_path / "release"
    _files(
        root / "communities" / "community_1" / "full_community",
        {
            "cities/cities.csv": CITIES,
            "cities/dataset-metadata.json": "{}",
            "cities-archive/cities.csv": CITIES_OLD,
            "rivers/rivers.csv": "river,length_km\nUm,12\nVo,40\n",
        },
    )
    _files(
        root / "communities" / "community_2" / "full_community",
        {"lakes/fish.csv": FISH, "lakes/notes.txt": "nothing\n", "weather/days.csv": "day,rain\n1,3\n2,0\n"},
    )
    (root / "coda_bench.json").write_text(json.dumps([_task(*row) for row in TASKS]))
    lines = [json.dumps(_provenance(row[0], row[5])) for row in TASKS]
    (root / "provenance.jsonl").write_text("\n".join(lines) + "\n")
    return root


def _files(folder: Path, contents: dict[str, str]) -> None:
    for name, text in contents.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


TASKS = [
    (
        1,
        "community_1",
        "How many cities of Peru are recorded in the table where the largest city has 400 inhabitants?",
        "2",
        "print(int((pd.read_csv('/data/cities/cities.csv').country == 'Peru').sum()))",
        ["cities/cities.csv"],
    ),
    (
        2,
        "community_1",
        "What is the total length in km of the rivers?",
        "52",
        "print(pd.read_csv('/data/rivers/rivers.csv').length_km.sum())",
        ["rivers/rivers.csv"],
    ),
    (
        3,
        "community_2",
        "What is the mean length in mm of fish caught in lake Ness?",
        "375.0",
        "f = pd.read_csv('/data/lakes/fish.csv')\nprint(round(f[f.lake == 'Ness'].length_mm.mean(), 1))",
        ["lakes/fish.csv"],
    ),
    (
        4,
        "community_2",
        "Which species is longest, and how many days had rain?",
        "pike; 1",
        """\
f = pd.read_csv('/data/lakes/fish.csv')
d = pd.read_csv('/data/weather/days.csv')
print(f.loc[f.length_mm.idxmax(), 'species'], int((d.rain > 0).sum()), sep='; ')""",
        ["lakes/fish.csv", "weather/days.csv"],
    ),
]
GUIDELINES = {
    1: "A whole number. If it cannot be found, write 'Not Applicable'.",
    2: "A whole number.",
    3: "A number rounded to one decimal place.",
    4: "The species and a whole number, separated by a semicolon.",
}


def _task(*row: Any) -> dict[str, Any]:
    instance_id, community, question, answer, code, targets = row
    return {
        "instance_id": instance_id,
        "question": question,
        "answer": answer,
        "answer_guidelines": GUIDELINES[instance_id],
        "reference_code": CODE + code + "\n",
        "dataset": targets[0].partition("/")[0],
        "notebook": f"notebook-{instance_id}",
        "release_community": community,
    }


def _provenance(instance_id: int, targets: list[str]) -> dict:
    return {
        "format_version": 1,
        "instance_id": instance_id,
        "target_files": [{"path": path} for path in targets],
        "effective_lines": 3,
        "derivation": "by hand",
        "environment_lock": "",
    }


class Runs:
    """Runs over the tiny release, with what they left."""

    def __init__(self, release: Path, folder: Path) -> None:
        self.release = release
        self.folder = folder

    def __call__(self, agent: str, **options: Any) -> RunSummary:
        """Run an agent in the run directory named for it."""
        out = options.pop("out", self.folder / "run")
        return run_batch(RunOptions(release=self.release, agent=agent, out=out, **options))

    def attempts(self) -> dict[tuple[int, int], Attempt]:
        """Return the attempts that count, by key."""
        return latest_attempts(read_journal(self.folder / "run" / "attempts.jsonl"))

    def answers(self) -> dict[int, str]:
        """Return the predictions by instance id."""
        lines = (self.folder / "run" / "predictions.jsonl").read_text().splitlines()
        return {row["instance_id"]: row["prediction"] for row in map(json.loads, lines)}


@pytest.fixture
def runs(release: Path, tmp_path: Path) -> Runs:
    return Runs(release, tmp_path)
