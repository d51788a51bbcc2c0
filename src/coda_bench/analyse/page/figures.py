"""The drawings of the report: inline SVG whose colours follow the page and whose bytes repeat.

Each drawing exists in two widths, for a screen and for a phone; the style sheet shows one.
"""

import io
import re
import warnings
from collections.abc import Sequence
from itertools import count
from typing import TYPE_CHECKING, Any

from coda_bench.analyse.opened import OpenedFiles
from coda_bench.analyse.outcomes import Rate
from coda_bench.analyse.positions import Bubble, Found, bubbles, with_room, zero_or_log
from coda_bench.errors import MissingExtra
from coda_bench.markup import Markup, element, shortened
from coda_bench.records.record import Record

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDE_IN, NARROW_IN = 10.5, 4.2
POINTS = 10.5

# Stand-ins that matplotlib writes and `_adapt` replaces by the page's own colours.
INK, MUTED, GRID = "#010203", "#010204", "#010205"
ANSWER, FILES = "#010206", "#010207"
MARKERS = {ANSWER: "o", FILES: "D"}
_COLOURS = {INK: "--ink", MUTED: "--muted", GRID: "--line", ANSWER: "--blue", FILES: "--orange"}


class RateRow(Record):
    """One agent's line in the picture of rates."""

    label: str
    answer: Rate | None
    files: Rate | None


def draw_rates(rows: Sequence[RateRow]) -> Markup:
    """Draw EA and DA_solution of each agent with their intervals.

    Raises:
        MissingExtra: matplotlib is not installed.
    """
    told = "; ".join(f"{row.label}: EA {_told(row.answer)}, DA_solution {_told(row.files)}" for row in rows)
    return _both_widths(
        "rates",
        "EA and DA_solution of each agent with 95 % intervals",
        told,
        lambda width: _rates(rows, width),
    )


def draw_opened(attempts: Sequence[OpenedFiles], labels: Sequence[str], community_size: int) -> Markup:
    """Draw, agent by agent, how many files each attempt opened against the share of its targets among them.

    Raises:
        MissingExtra: matplotlib is not installed.
    """
    placed = [(label, bubbles([a for a in attempts if a.label == label])) for label in labels]
    told = "; ".join(f"{label}: {_told_bubbles(found)}" for label, found in placed)
    return _both_widths(
        "opened",
        "Files opened by each attempt against the share of its target files among them",
        told,
        lambda width: _opened(placed, width, community_size),
    )


def _told(rate: Rate | None) -> str:
    return "not measured" if rate is None or rate.value is None else f"{rate.value:.0%} ({rate.correct} of {rate.n})"


def _told_bubbles(found: Sequence[Bubble]) -> str:
    n = {height: sum(b.attempts for b in found if b.found is height) for height in Found}
    return (
        f"{sum(n.values())} attempts, {n[Found.USED]} computed from exactly the targets, {n[Found.ALL]} opened all "
        f"targets but did not, {n[Found.SOME]} opened some, {n[Found.NONE]} none"
    )


def _both_widths(name: str, title: str, description: str, draw: Any) -> Markup:
    try:
        import matplotlib as mpl  # noqa: PLC0415 - optional: only a report draws
    except ImportError as error:
        raise MissingExtra("the report's pictures need matplotlib: pip install 'coda-bench[demo]'") from error
    svgs = []
    for kind, width in (("wide", WIDE_IN), ("narrow", NARROW_IN)):
        settings: dict[Any, Any] = {
            "svg.fonttype": "none",  # text stays text: selectable, searchable, small
            "svg.hashsalt": f"{name}-{kind}",
            "text.parse_math": False,  # a dollar sign in a label is a dollar sign
            "font.family": ["DejaVu Sans"],
            "font.size": POINTS,
        }
        with mpl.rc_context(settings), warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="Glyph .* missing from font")  # measured only; the browser draws
            svg = _svg(draw(width))
        svgs.append(element("div", _adapt(svg, f"{name}-{kind}", title, description), class_=f"drawing {kind}"))
    return Markup("".join(svgs))


def _svg(figure: "Figure") -> str:
    buffer = io.BytesIO()
    figure.savefig(buffer, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    return buffer.getvalue().decode("utf-8")


def _adapt(svg: str, name: str, title: str, description: str) -> Markup:
    """Cut matplotlib's file down to one inline element that a screen reader can announce."""
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r"<!--.*?-->\s*", "", svg, flags=re.DOTALL)
    referenced = set(re.findall(r'(?:href="|url\()#([^")]+)', svg))
    numbers = count()
    short = {id_: f"{name}{next(numbers)}" for id_ in sorted(referenced)}
    svg = re.sub(r' id="([^"]*)"', lambda found: f' id="{short[found[1]]}"' if found[1] in short else "", svg)
    svg = re.sub(r'(href="|url\()#([^")]+)', lambda found: f"{found[1]}#{short[found[2]]}", svg)
    svg = re.sub(r"(font(?:-family)?: ?(?:[\d.]+px )?)'DejaVu Sans'[^;\"]*", r"\1var(--sans)", svg)
    for stand_in, variable in _COLOURS.items():
        svg = svg.replace(stand_in, f"var({variable})")
    head, rest = svg.split(">", 1)
    box = re.search(r'viewBox="[^"]*"', head)
    opening = f'<svg {box[0] if box else ""} role="img" aria-labelledby="{name}-title {name}-desc">'
    told = element("title", title, id=f"{name}-title") + element("desc", description, id=f"{name}-desc")
    return Markup(opening + told + re.sub(r"\n\s*", "\n", rest).strip())


def _figure(width: float, height: float) -> "Figure":
    from matplotlib.figure import Figure  # noqa: PLC0415 - optional, see `_both_widths`

    return Figure(figsize=(width, height))


def _rates(rows: Sequence[RateRow], width: float) -> "Figure":
    narrow = width == NARROW_IN
    band, top, bottom = (0.78 if narrow else 0.52), 0.5, 0.5
    height = top + bottom + band * len(rows)
    figure = _figure(width, height)
    left, right = (0.25, 1.6) if narrow else (2.6, 1.7)
    axes = figure.add_axes((left / width, bottom / height, (width - left - right) / width, band * len(rows) / height))
    axes.set(xlim=(0, 1), ylim=(len(rows), 0))
    _percent_axis(axes)
    for index, row in enumerate(rows):
        _rate_band(axes, index, row, narrow=narrow)
    _legend(figure, left, (ANSWER, "EA: answer right"), (FILES, "DA: files right"))
    return figure


def _rate_band(axes: "Axes", index: int, row: RateRow, *, narrow: bool) -> None:
    if index:
        axes.axhline(index, color=GRID, linewidth=0.8)
    if narrow:
        axes.text(0, index + 0.2, shortened(row.label, 38), color=INK, weight="bold", va="center")
    else:
        _side_label(axes, index, row.label)
    low, step = (0.5, 0.3) if narrow else (0.32, 0.36)
    _rate_mark(axes, row.answer, index + low, ANSWER, "EA")
    _rate_mark(axes, row.files, index + low + step, FILES, "DA")


def _side_label(axes: "Axes", index: int, label: str) -> None:
    name, bracket, detail = label.partition(" (")
    axes.text(
        -0.02, index + (0.34 if detail else 0.5), shortened(name, 27), color=INK, weight="bold", va="center", ha="right"
    )
    if detail:
        told = shortened(bracket.strip() + detail, 36)
        axes.text(-0.02, index + 0.7, told, color=MUTED, size=POINTS - 2, va="center", ha="right")


def _rate_mark(axes: "Axes", rate: Rate | None, y: float, colour: str, name: str) -> None:
    if rate is None or rate.value is None or rate.interval is None:
        axes.text(1.03, y, f"{name} not measured", color=MUTED, va="center", size=POINTS - 1)
        return
    axes.hlines(y, *rate.interval, color=colour, linewidth=2.2, zorder=3, clip_on=False)
    face = colour if colour == ANSWER else "none"
    axes.plot(
        [rate.value],
        [y],
        MARKERS[colour],
        color=colour,
        markerfacecolor=face,
        markersize=8,
        mew=2,
        clip_on=False,
        zorder=4,
    )
    for offset, text, ink, size in (
        (14, name, colour, POINTS),
        (62, f"{rate.value:.0%}", INK, POINTS),
        (68, f"{rate.correct}/{rate.n}", MUTED, POINTS - 1.5),
    ):
        side = "right" if ink == INK else "left"
        axes.annotate(
            text,
            (1, y),
            (offset, 0),
            textcoords="offset points",
            color=ink,
            size=size,
            va="center",
            ha=side,
            annotation_clip=False,
        )


def _percent_axis(axes: "Axes") -> None:
    axes.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0", "25", "50", "75", "100 %"])
    axes.set_yticks([])
    axes.grid(axis="x", color=GRID, linewidth=0.8)
    axes.tick_params(colors=MUTED, length=0, pad=6)
    axes.spines[:].set_visible(False)
    axes.set_axisbelow(True)


def _legend(figure: "Figure", x: float, *entries: tuple[str, str]) -> None:
    """Draw a line of signs with their meaning at the top, `x` inches from the left."""
    width, height = figure.get_size_inches()
    for colour, text in entries:
        figure.add_artist(_mark((x + 0.08) / width, 1 - 0.22 / height, colour))
        figure.text((x + 0.22) / width, 1 - 0.22 / height, text, color=INK, va="center")
        x += 0.45 + 0.083 * len(text)


def _mark(x: float, y: float, colour: str) -> Any:
    from matplotlib.lines import Line2D  # noqa: PLC0415 - optional, see `_both_widths`

    face = colour if colour == ANSWER else "none"
    return Line2D([x], [y], color=colour, marker=MARKERS[colour], markerfacecolor=face, markersize=8, mew=2, ls="none")


def _opened(placed: Sequence[tuple[str, Sequence[Bubble]]], width: float, community_size: int) -> "Figure":
    columns = 1 if width == NARROW_IN else 2
    lines = -(-len(placed) // columns)
    panel, gap, top, bottom, left = 1.3, 0.66, 0.85, 0.55, 0.95
    height = top + bottom + lines * panel + (lines - 1) * gap
    figure = _figure(width, height)
    panel_width = (width - left * columns - 0.15) / columns
    most = max([10.0, community_size, *(bubble.opened for _, found in placed for bubble in found)])
    for index, (label, found) in enumerate(placed):
        line, column = divmod(index, columns)
        x = left + column * (panel_width + left)
        y = height - top - panel - line * (panel + gap)
        axes = figure.add_axes((x / width, y / height, panel_width / width, panel / height))
        _opened_axes(axes, label, zero_or_log(most) + 0.25, is_lowest=index + columns >= len(placed))
        if community_size:
            axes.axvline(zero_or_log(community_size), color=MUTED, linewidth=1, linestyle=(0, (2, 2)))
        _bubbles(axes, found)
    _legend(figure, 0.2, (FILES, "used exactly the targets"), (ANSWER, "did not"))
    return figure


def _opened_axes(axes: "Axes", label: str, end: float, *, is_lowest: bool) -> None:
    axes.set(xlim=(zero_or_log(0) - 0.35, end), ylim=(-0.6, 3.6))
    ticks = [0, *(10**power for power in range(7) if zero_or_log(10**power) <= end)]
    axes.set_xticks([zero_or_log(tick) for tick in ticks], [f"{tick:,}" for tick in ticks])
    axes.set_yticks(list(Found), ["none", "some", "all", "all, used"])
    axes.grid(color=GRID, linewidth=0.8)
    axes.tick_params(colors=MUTED, length=0, pad=5)
    axes.spines[:].set_visible(False)
    axes.set_axisbelow(True)
    axes.set_title(shortened(label, 40), loc="left", color=INK, weight="bold", size=POINTS, pad=7)
    if is_lowest:
        axes.set_xlabel("files opened (log scale)", color=MUTED, loc="left", labelpad=4)


def _bubbles(axes: "Axes", found: Sequence[Bubble]) -> None:
    total = sum(bubble.attempts for bubble in found)
    for colour in (ANSWER, FILES):
        some = [bubble for bubble in found if (bubble.found is Found.USED) == (colour == FILES)]
        axes.scatter(
            [zero_or_log(bubble.opened) for bubble in some],
            [float(bubble.found) for bubble in some],
            s=[32 + 460 * bubble.attempts / total for bubble in some],
            marker=MARKERS[colour],
            facecolor=[(colour, 0.25)],  # faint within a firm outline: overlapping ones stay countable
            edgecolor=colour,
            clip_on=False,
            zorder=3,
        )
    for bubble in with_room([bubble for bubble in found if bubble.attempts >= max(3, 0.1 * total)]):
        at = (zero_or_log(bubble.opened), float(bubble.found))
        axes.annotate(f"{bubble.attempts:,}", at, color=INK, ha="center", va="center", size=POINTS - 1.5, zorder=5)
