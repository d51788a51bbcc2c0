"""Text in angle brackets: HTML, SVG and XML; the latter is parsed to see whether it is well formed."""

from pathlib import Path
from xml.parsers import expat

from coda_bench.construct.environment.profiling.reading import Reading
from coda_bench.construct.environment.profiling.scan import BLOCK

_HTML = (b"<!doctype html", b"<html", b"<head", b"<body")


def read_markup(path: Path, head: bytes) -> Reading | None:
    """Return the format of a text that begins with an angle bracket, or None when it is neither.

    External entities are never fetched; expat itself bounds what entities may expand to.
    """
    begin = head.removeprefix(b"\xef\xbb\xbf").lstrip()[:1000].lower()
    if begin.startswith(_HTML) or (begin.startswith(b"<?xml") and b"<html" in begin):
        return Reading("html", read="form")
    if not begin.startswith((b"<?xml", b"<!doctype", b"<!--")) and not _is_element(begin):
        return None
    error = _first_error(path)
    if error and not begin.startswith((b"<?xml", b"<!doctype")):
        return None
    reading = Reading("svg" if b"<svg" in begin else "xml", read="form")
    return reading.noting("malformed", f"XML: {error}") if error else reading


def _is_element(begin: bytes) -> bool:
    return len(begin) > 1 and begin[1:2].isalpha()


def _first_error(path: Path) -> str | None:
    parser = expat.ParserCreate()
    try:
        with path.open("rb") as stream:
            while block := stream.read(BLOCK):
                parser.Parse(block, False)
        parser.Parse(b"", True)
    except expat.ExpatError as error:
        return str(error)
    return None
