"""Conversion: one file of a package becomes one file of a data set, with the same bytes on every run.

Whatever would vary (clocks in xlsx and gzip headers) is fixed; Parquet, xlsx and SQLite are
written from what pyarrow's CSV reader infers, so numbers stay numbers and empty cells become nulls.
"""

import bz2
import gzip
import io
import re
import shutil
import sqlite3
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from coda_bench.demo.pdf import text_pdf
from coda_bench.errors import BadInput, MissingExtra

if TYPE_CHECKING:
    import pyarrow as pa

FIXED_TIME = (2020, 1, 1, 0, 0, 0)
"""Clock of every archive entry the conversion writes."""

_OPENERS: dict[str, Callable[[Path], Any]] = {".bz2": bz2.open, ".gz": gzip.open}


def convert(sources: Sequence[Path], target: Path) -> None:
    """Make `target` from `sources`; its ending decides the format.

    Raises:
        BadInput: a source is missing, or there is no way from its format to the target's.
        MissingExtra: a library that writes the format is not installed.
    """
    missing = [source for source in sources if not source.is_file()]
    if missing:
        raise BadInput(f"{missing[0]}: not in the installed package; install the versions coda-bench was tested with")
    target.parent.mkdir(parents=True, exist_ok=True)
    writer = _WRITERS.get(target.suffix)
    if len(sources) == 1 and _same_format(sources[0], target):
        shutil.copyfile(sources[0], target)
    elif writer is None:
        raise BadInput(f"{target}: no way to write {target.suffix} from {sources[0].name}")
    else:
        writer(sources, target)


def _same_format(source: Path, target: Path) -> bool:
    texts = {".rst", ".names", ".txt"}
    return source.suffix == target.suffix or {source.suffix, target.suffix} <= texts


def read_plain(source: Path) -> bytes:
    """Return the bytes of a file, decompressed where its ending says so."""
    opener = _OPENERS.get(source.suffix)
    if opener is None:
        return source.read_bytes()
    with opener(source) as stream:
        content: bytes = stream.read()
    return content


def read_table(source: Path) -> "pa.Table":
    """Read a CSV file, compressed or not, with column types inferred from all rows."""
    try:
        from pyarrow import csv  # noqa: PLC0415 -- optional: extra `demo`
    except ImportError as error:
        raise MissingExtra("the demo converts files with pyarrow: pip install 'coda-bench[demo]'") from error
    options = csv.ReadOptions(use_threads=False, block_size=1 << 28)
    return csv.read_csv(io.BytesIO(read_plain(source)), read_options=options)


def _write_plain(sources: Sequence[Path], target: Path) -> None:
    target.write_bytes(read_plain(sources[0]))


def _write_gzip(sources: Sequence[Path], target: Path) -> None:
    target.write_bytes(gzip.compress(read_plain(sources[0]), compresslevel=6, mtime=0))


def _write_parquet(sources: Sequence[Path], target: Path) -> None:
    from pyarrow import parquet  # noqa: PLC0415 -- optional: extra `demo`

    parquet.write_table(read_table(sources[0]), target, compression="zstd")


def _write_sqlite(sources: Sequence[Path], target: Path) -> None:
    connection = sqlite3.connect(target)
    with connection:
        for source in sources:
            _insert_table(connection, source.name.split(".")[0], read_table(source))
    connection.close()


def _insert_table(connection: sqlite3.Connection, name: str, table: "pa.Table") -> None:
    columns = ", ".join(f'"{column}"' for column in table.column_names)
    places = ", ".join("?" * table.num_columns)
    connection.execute(f'CREATE TABLE "{name}" ({columns})')
    rows = zip(*(column.to_pylist() for column in table.columns), strict=True)
    connection.executemany(f'INSERT INTO "{name}" VALUES ({places})', rows)  # noqa: S608 -- names are our catalog's


def _write_xlsx(sources: Sequence[Path], target: Path) -> None:
    from openpyxl import Workbook  # noqa: PLC0415 -- optional: extra `demo`

    book = Workbook(write_only=True)
    sheet = book.create_sheet(target.stem[:31])
    table = read_table(sources[0])
    sheet.append(table.column_names)
    for row in zip(*(column.to_pylist() for column in table.columns), strict=True):
        sheet.append(row)
    buffer = io.BytesIO()
    book.save(buffer)
    target.write_bytes(_with_fixed_clock(buffer))


_CLOCK = re.compile(rb"(<dcterms:(?:created|modified)[^>]*>)[^<]*")


def _with_fixed_clock(archive: io.BytesIO) -> bytes:
    result = io.BytesIO()
    with zipfile.ZipFile(archive) as old, zipfile.ZipFile(result, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            content = _CLOCK.sub(rb"\g<1>2020-01-01T00:00:00Z", old.read(name))
            new.writestr(zipfile.ZipInfo(name, FIXED_TIME), content, zipfile.ZIP_DEFLATED)
    return result.getvalue()


def _write_pdf(sources: Sequence[Path], target: Path) -> None:
    target.write_bytes(text_pdf(read_plain(source).decode("utf-8", "replace") for source in sources))


_WRITERS: dict[str, Callable[[Sequence[Path], Path], None]] = {
    ".csv": _write_plain,
    ".gz": _write_gzip,
    ".parquet": _write_parquet,
    ".sqlite": _write_sqlite,
    ".xlsx": _write_xlsx,
    ".pdf": _write_pdf,
}
