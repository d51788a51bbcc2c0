"""`coda-bench kaggle`: download notebooks and data sets of Kaggle at pinned versions."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from coda_bench.cli.console import EXIT_FINDINGS, console, errors, guarded, print_json, visible
from coda_bench.construct.corpus.kaggle.download import DownloadOptions, download
from coda_bench.construct.corpus.kaggle.licences import OPEN
from coda_bench.construct.corpus.kaggle.pins import as_list, read_pins
from coda_bench.construct.corpus.kaggle.service import Kaggle
from coda_bench.records.kaggle import Download, Kind, Outcome
from coda_bench.records.storage import write_atomically

PINNED = "pinned.txt"


@guarded
def kaggle(
    pins: Annotated[
        Path,
        typer.Argument(
            metavar="LIST", help="One a line: `dataset owner/slug/versions/N` or `notebook owner/slug/versions/N`."
        ),
    ],
    *,
    out: Annotated[Path, typer.Option(help="Folder to download into; read it as a corpus afterwards.")],
    resolve: Annotated[
        bool, typer.Option("--resolve", help="Take the current version where a line has none, and record it.")
    ] = False,
    licence: Annotated[
        list[str] | None, typer.Option(help="Allowed licence of data sets; repeat. Default: the open ones.")
    ] = None,
    most_mib: Annotated[int, typer.Option(help="Largest data set, packed and unpacked, in MiB.", min=1)] = 2048,
    json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Download notebooks and data sets of Kaggle at pinned versions, as far as their licences allow.

    Credentials are kagglehub's: KAGGLE_API_TOKEN or ~/.kaggle/access_token; KAGGLE_USERNAME and KAGGLE_KEY;
    kaggle.json; or nobody's, which public data sets allow. Run the command again to go on after a cut.

    Exit codes: 0 all there; 1 some cannot be had, each with its reason; 2 unusable list, credentials or network.
    """
    wanted = read_pins(pins, resolve=resolve)
    options = DownloadOptions(licences=tuple(licence or OPEN), most_bytes=most_mib << 20)
    service = Kaggle(say=_say)
    _say(f"credentials: {service.credentials()}")
    done = download(wanted, out, options, kaggle=service, say=_say)
    write_atomically(out / PINNED, as_list(tuple(row.pin for row in done)))
    if json:
        print_json(_summary(done))
    else:
        _print(done)
    if any(row.outcome is not Outcome.DOWNLOADED for row in done):
        raise typer.Exit(EXIT_FINDINGS)


def _say(text: str) -> None:
    errors.print(visible(text), style="dim", markup=False)


def _summary(done: Sequence[Download]) -> dict[str, object]:
    return {
        "outcomes": dict(sorted(Counter(row.outcome.value for row in done).items())),
        "licences": dict(sorted(Counter(row.licence or "not stated" for row in _datasets(done)).items())),
        "missing_sources": _missing(done),
        "downloads": [row.model_dump(mode="json") for row in done],
    }


def _datasets(done: Sequence[Download]) -> list[Download]:
    return [row for row in done if row.pin.kind is Kind.DATASET]


def _missing(done: Sequence[Download]) -> list[str]:
    """Return the data sets that notebooks name and that were not downloaded: their notebooks will look incomplete."""
    here = {row.pin.name.lower() for row in _datasets(done) if row.outcome is Outcome.DOWNLOADED}
    return sorted({source for row in done for source in row.sources if source.lower() not in here})


def _print(done: Sequence[Download]) -> None:
    table = Table(box=None, pad_edge=False)
    for heading in ("kind", "name", "version", "licence", "files", "bytes", "outcome"):
        table.add_column(heading, justify="right" if heading in {"version", "files", "bytes"} else "left")
    for row in done:
        version, licence = str(row.pin.version or ""), visible(row.licence or "")
        cells = (row.pin.kind.value, row.pin.name, version, licence, f"{row.files:,}", f"{row.bytes:,}")
        table.add_row(*map(Text, cells), Text(row.outcome.value.replace("_", " ")))
    console.print(table)
    for row in done:
        if row.message:
            console.print(Text(visible(f"{row.pin}: {row.message}")))
    if missing := _missing(done):
        console.print(Text(visible(f"named by notebooks and not downloaded: {', '.join(missing)}")))
