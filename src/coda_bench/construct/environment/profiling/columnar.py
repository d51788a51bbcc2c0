"""Parquet, Arrow, Feather and ORC, by pyarrow: schema and row counts from their metadata."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from coda_bench.construct.environment.profiling.reading import Reading, Unreadable, table, with_tables

_ENDINGS = {"parquet": b"PAR1", "arrow": b"ARROW1"}


def read_columnar(path: Path, kind: str, tail: bytes) -> Reading:
    """Return the columns and rows of a columnar file; its values are not read.

    Raises:
        Unreadable: the file breaks off, or its metadata is not sound.
    """
    ending = _ENDINGS.get(kind)
    if ending and not tail.endswith(ending):
        raise Unreadable(f"the file does not end as {kind} must: it breaks off")
    with _told_as_unreadable(kind):
        schema, n_rows = {"parquet": _parquet, "arrow": _arrow, "orc": _orc, "feather_v1": _feather}[kind](path)
        columns = [(field.name, str(field.type)) for field in schema]
    return with_tables(Reading(kind, read="header"), [table(columns, n_rows)])


@contextmanager
def _told_as_unreadable(kind: str) -> Iterator[None]:
    import pyarrow as pa  # noqa: PLC0415 an optional library

    try:
        yield
    except pa.ArrowMemoryError as error:
        raise MemoryError(str(error)) from error
    except (pa.ArrowException, OSError, ValueError) as error:
        raise Unreadable(f"{kind}: {str(error).splitlines()[0] if str(error) else type(error).__name__}") from error


def _parquet(path: Path) -> tuple[Any, int]:
    import pyarrow.parquet as pq  # noqa: PLC0415

    with pq.ParquetFile(path, memory_map=False) as file:
        size = path.stat().st_size
        for number in range(file.metadata.num_row_groups):
            group = file.metadata.row_group(number)
            for place in range(group.num_columns):
                chunk = group.column(place)
                if chunk.data_page_offset >= size or chunk.total_compressed_size > size:
                    raise Unreadable(f"parquet: row group {number} lies beyond the end of the file")
        return file.schema_arrow, int(file.metadata.num_rows)


def _arrow(path: Path) -> tuple[Any, int]:
    import pyarrow as pa  # noqa: PLC0415

    with pa.OSFile(str(path), "rb") as source, pa.ipc.open_file(source) as reader:
        n_rows = sum(reader.get_batch(number).num_rows for number in range(reader.num_record_batches))
        return reader.schema, n_rows


def _orc(path: Path) -> tuple[Any, int]:
    from pyarrow import orc  # noqa: PLC0415

    file = orc.ORCFile(path)
    return file.schema, int(file.nrows)


def _feather(path: Path) -> tuple[Any, int]:
    from pyarrow import feather  # noqa: PLC0415

    found = feather.read_table(path, memory_map=False)
    return found.schema, int(found.num_rows)
