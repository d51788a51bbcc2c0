"""HTML built from values, escaped unless said otherwise: predictions and file names are untrusted text."""

import re
import unicodedata
from collections.abc import Iterable
from html import escape
from urllib.parse import quote

VOID = frozenset({"br", "col", "hr", "img", "meta"})

Attribute = str | int | bool | None


class Markup(str):
    """Text that is HTML already; only this module and the drawings make it."""

    __slots__ = ()


Child = str | int | None | Iterable["Child"]


def element(tag: str, *children: Child, **attributes: Attribute) -> Markup:
    """Return one element with its children; plain strings are escaped, `Markup` is taken as it is.

    Attribute names lose a trailing underscore (`class_`) and write inner ones as hyphens; True writes a bare
    attribute, None and False write none.
    """
    start = f"<{tag}{''.join(_attribute(name, value) for name, value in attributes.items())}>"
    return Markup(start) if tag in VOID else Markup(f"{start}{join(*children)}</{tag}>")


def join(*children: Child) -> Markup:
    """Return children one after the other, without an element around them."""
    return Markup("".join(_render(child) for child in children))


def _render(child: Child) -> str:
    if child is None:
        return ""
    if isinstance(child, Markup):
        return child
    if isinstance(child, str | int):
        return escape(visible(str(child)), quote=False)
    return "".join(_render(part) for part in child)


def _attribute(name: str, value: Attribute) -> str:
    if value is None or value is False:
        return ""
    written = name.rstrip("_").replace("_", "-")
    return f" {written}" if value is True else f' {written}="{escape(visible(str(value)))}"'


# Bidirectional controls can reorder the text around them, other controls and unpaired surrogates break parsers.
_UNSAFE = frozenset({"Cc", "Cs", "Cf"})


def visible(text: str) -> str:
    """Return text with control and direction characters written out as escapes; line breaks and tabs are kept."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(_written(c) for c in text)


def _written(character: str) -> str:
    if character in "\n\t\u200d" or unicodedata.category(character) not in _UNSAFE:
        return character
    return f"\\u{ord(character):04x}" if ord(character) < 0x10000 else f"\\U{ord(character):08x}"  # noqa: PLR2004 - end of the BMP


def cut(text: str, limit: int) -> str:
    """Return untrusted text on one line and at most `limit` characters long, with its true length when cut."""
    head = re.sub(r"\s+", " ", visible(text[: limit + 1])).strip()
    if len(text) <= limit and len(head) <= limit:
        return head
    return f"{head[:limit]}… ({len(text):,} characters)"


def shortened(text: str, limit: int) -> str:
    """Return untrusted text on one line, at most `limit` characters long, for places too small to say more."""
    head = re.sub(r"\s+", " ", visible(text[: limit + 1])).strip()
    return head if len(head) <= limit else f"{head[: limit - 1]}…"


def quoted(text: str, limit: int) -> Markup:
    """Return untrusted text cut to `limit` and isolated, so that its direction cannot affect what surrounds it."""
    return element("bdi", cut(text, limit))


def csv_link(name: str, header: Iterable[str], rows: Iterable[Iterable[object]]) -> Markup:
    """Return a link that saves rows as a CSV file; the data stands in the page itself."""
    lines = [",".join(_csv_field(value) for value in line) for line in (tuple(header), *rows)]
    data = quote("\r\n".join(lines) + "\r\n", safe=" ,;:/=+()!*'")
    return element(
        "a", f"Data as CSV ({name})", download=name, href=f"data:text/csv;charset=utf-8,{data}", class_="csv"
    )


def _csv_field(value: object) -> str:
    text = "" if value is None else str(value)
    if text[:1] in ("=", "+", "-", "@", "\t") and not isinstance(value, int | float):
        text = "'" + text  # a spreadsheet would run it as a formula
    return '"' + text.replace('"', '""') + '"' if re.search(r'[",\r\n]', text) else text


def table(head: Iterable[Child], rows: Iterable[Iterable[Child]], *, label: str, class_: str | None = None) -> Markup:
    """Return a table in a box that scrolls on its own; the first cell of each row is its heading.

    Cells that are `<td>` or `<th>` elements already are taken as they are.
    """
    top = element("tr", [_cell("th", cell, scope="col") for cell in head])
    body = [
        element("tr", [_cell("td" if i else "th", c, scope=None if i else "row") for i, c in enumerate(row)])
        for row in rows
    ]
    return scrolling(element("table", element("thead", top), element("tbody", body), class_=class_), label=label)


def _cell(tag: str, content: Child, scope: str | None) -> Child:
    if isinstance(content, Markup) and content.startswith(("<td", "<th")):
        return content
    return element(tag, content, scope=scope)


def scrolling(content: Markup, *, label: str) -> Markup:
    """Return wide content in a box that scrolls sideways and can be reached with the keyboard."""
    return element("div", content, class_="scroll", role="region", tabindex="0", aria_label=label)
