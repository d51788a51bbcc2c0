"""`coda-bench corpus`: which notebooks use which data sets."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from coda_bench.cli.console import console, guarded, print_json, visible
from coda_bench.cli.reading import reading_progress
from coda_bench.construct.corpus.folder import FolderOptions, read_folder
from coda_bench.construct.corpus.meta_kaggle import MetaKaggleOptions, read_meta_kaggle
from coda_bench.records.corpus import FINDINGS, CorpusFinding, CorpusManifest
from coda_bench.records.storage import read_json_lines

_SHOWN = 10


def reader(
    source: Path, *, meta_kaggle: bool, licences: list[str] | None, similarity: float, forks: bool
) -> Callable[[Path], CorpusManifest]:
    """Return what reads a source and stores it in the directory it is given."""
    if meta_kaggle:
        dump = MetaKaggleOptions(licences=licences, forks=forks)
        return lambda out: read_meta_kaggle(source, out, dump)
    folder = FolderOptions(licences=licences, similarity=similarity)

    def read(out: Path) -> CorpusManifest:
        with reading_progress("reading notebooks") as progress:
            return read_folder(source, out, folder, progress=progress)

    return read


@guarded
def corpus(
    source: Annotated[Path, typer.Argument(help="Folder of notebooks and data sets, or of Meta Kaggle's CSV tables.")],
    *,
    out: Annotated[Path, typer.Option(help="Directory to build in; the corpus goes to its corpus/.")],
    meta_kaggle: Annotated[bool, typer.Option("--meta-kaggle", help="The source is a dump of Meta Kaggle.")] = False,
    licence: Annotated[list[str] | None, typer.Option(help="Use data sets of this licence only; repeat.")] = None,
    forks: Annotated[bool, typer.Option(help="Count forked notebooks of a dump.")] = True,
    similarity: Annotated[
        float, typer.Option(min=0, help="From which two notebooks are one (Jaccard of five tokens); above 1 none.")
    ] = 0.9,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON on standard output.")] = False,
) -> None:
    """Read which notebooks use which data sets; nothing of a notebook is run.

    Exit codes: 0 read, with findings shown; 2 unusable input.
    """
    read = reader(source, meta_kaggle=meta_kaggle, licences=licence, similarity=similarity, forks=forks)
    manifest = read(out / "corpus")
    findings = load_findings(out / "corpus")
    if as_json:
        rows = [one.model_dump(mode="json") for one in findings]
        print_json(manifest.model_dump(mode="json") | {"findings": rows})
    else:
        show(manifest, findings)


def load_findings(corpus_folder: Path) -> list[CorpusFinding]:
    """Return the findings of a stored corpus."""
    path = corpus_folder / FINDINGS
    return [CorpusFinding.from_stored(row, where=f"{path}:{line}") for line, row in read_json_lines(path)]


def show(manifest: CorpusManifest, findings: list[CorpusFinding]) -> None:
    """Print counts, and findings by kind with the first few of each."""
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column("what")
    table.add_column("count", justify="right")
    for name, count in manifest.counts.items():
        table.add_row(name.replace("_", " ").replace("datasets", "data sets"), f"{count:,}")
    console.print(table)
    kinds = dict.fromkeys(
        (one.severity, one.kind) for one in sorted(findings, key=lambda one: (one.severity, one.kind))
    )
    for severity, kind in kinds:
        some = [one for one in findings if (one.severity, one.kind) == (severity, kind)]
        console.print(f"{severity}: {kind.replace('_', ' ')}, {len(some)}")
        for one in some[:_SHOWN]:
            console.print(_one_line(f"  {one.where}: {one.message}"), markup=False, soft_wrap=True)
        if len(some) > _SHOWN:
            console.print(f"  … and {len(some) - _SHOWN} more")


def _one_line(text: str) -> str:
    """Return what stands in names and code as it can be shown: nothing a terminal obeys, and on one line."""
    return visible(text).replace("\n", "\ufffd")
