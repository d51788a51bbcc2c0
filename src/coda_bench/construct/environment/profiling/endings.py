"""Files that are not read but whose end shows whether they are whole; names' endings that say something else."""

from pathlib import PurePosixPath

_ENDS = {
    "png": (b"IEND\xaeB`\x82",),
    "jpeg": (b"\xff\xd9",),
    "gif": (b"\x3b",),
    "pdf": (b"%%EOF",),
}
_SLACK = 1024
"""Bytes that may follow the end: readers accept padding and signatures."""

_TEXTS = {"text", "csv", "tsv", "delimited", "json", "ndjson", "geojson", "xml", "html", "empty"}
_DELIMITED = {"csv", "tsv", "delimited", "empty"}
_FORMATS: dict[str, set[str]] = {
    "csv": _DELIMITED,
    "tsv": _DELIMITED,
    "tab": _DELIMITED,
    "psv": _DELIMITED,
    "json": {"json", "ndjson", "geojson", "notebook", "empty"},
    "jsonl": {"ndjson", "json", "empty"},
    "ndjson": {"ndjson", "json", "empty"},
    "geojson": {"geojson", "json"},
    "ipynb": {"notebook"},
    "xlsm": {"xlsx"},
    "xls": {"ole"},
    "db": {"sqlite", "duckdb"},
    "sqlite3": {"sqlite"},
    "h5": {"hdf5"},
    "hdf": {"hdf5"},
    "jpg": {"jpeg"},
    "tif": {"tiff"},
    "dta": {"stata"},
    "sav": {"spss"},
    "xpt": {"sas_xport"},
    "pkl": {"pickle"},
    "pickle": {"pickle"},
    "feather": {"arrow", "feather_v1"},
    "rda": {"rdata"},
    "shp": {"shapefile"},
    "shx": {"shapefile"},
    "htm": {"html"},
}
_SAME = "parquet arrow orc avro sqlite duckdb npy npz zip 7z rar tar pdf png jpeg gif bmp tiff webp xlsx docx pptx ods"
_FORMATS |= {name: {name} for name in f"{_SAME} sas7bdat rdata rds dbf xml html hdf5".split()}
_FORMATS |= dict.fromkeys(("txt", "md", "py", "r", "sql", "yaml", "yml", "log", "rst"), _TEXTS)
_COMPRESSED = {"gz", "bz2", "xz", "zst", "gzip"}


def breaks_off(kind: str, tail: bytes) -> bool:
    """Whether a file of this format lacks its end."""
    ends = _ENDS.get(kind)
    return ends is not None and not any(end in tail[-_SLACK:] for end in ends)


def contradicts(name: str, kind: str) -> str | None:
    """Return the name's ending where it promises another format than the content has, else None."""
    suffixes = [one.lower().lstrip(".") for one in PurePosixPath(name).suffixes]
    if suffixes and suffixes[-1] in _COMPRESSED:
        suffixes.pop()
    promised = _FORMATS.get(suffixes[-1]) if suffixes else None
    return None if promised is None or kind in promised else suffixes[-1]
