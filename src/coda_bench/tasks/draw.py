"""The funnel as a picture."""

from pathlib import Path

from coda_bench.errors import BadInput, MissingExtra
from coda_bench.records.funnel import Funnel, Level

_ENDINGS = frozenset({".png", ".svg", ".pdf"})
_MOST_REASONS = 4
_HINT = "pictures need matplotlib; install it with `pip install 'coda-bench[construct]'`"


def draw_funnel(funnel: Funnel, path: Path) -> None:
    """Draw one bar for each level, with the main reasons of what goes no further beside it.

    Raises:
        BadInput: the name does not end in `.png`, `.svg` or `.pdf`.
        MissingExtra: Matplotlib is not installed.
    """
    if path.suffix.lower() not in _ENDINGS:
        raise BadInput(f"{path}: a picture's name ends in .png, .svg or .pdf")
    try:
        from matplotlib.figure import Figure  # noqa: PLC0415 - heavy, and an extra
    except ImportError as missing:
        raise MissingExtra(_HINT) from missing
    levels = [level for level in funnel.levels if level.count or level.lost]
    figure = Figure(figsize=(9, 0.62 * len(levels) + 1.2), layout="constrained")
    axes = figure.subplots()
    counts = [level.count for level in levels]
    most = max([*counts, 1])
    axes.barh([level.name for level in levels], counts, color="#4878a8", height=0.6)
    for place, level in enumerate(levels):
        axes.text(level.count + 0.01 * most, place, f" {level.count:,}", va="center", weight="bold", fontsize=9)
        axes.text(most * 1.14, place, _reasons(level), va="center", fontsize=8, color="#555555")
    axes.set_xlim(0, most * 2.1)
    axes.invert_yaxis()
    axes.set_xticks([])
    axes.set_title("From notebooks to tasks, and why the others go no further", loc="left", fontsize=11)
    for side in ("top", "right", "bottom"):
        axes.spines[side].set_visible(False)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=150)


def _reasons(level: Level) -> str:
    pairs = sorted(level.lost.items(), key=lambda pair: -pair[1])
    shown = [f"{name.replace('_', ' ')} {count:,}" for name, count in pairs[:_MOST_REASONS]]
    rest = sum(count for _, count in pairs[_MOST_REASONS:])
    return ", ".join([*shown, *([f"others {rest:,}"] if rest else [])])
