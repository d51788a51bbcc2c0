"""A program: run inside a sandbox, it executes the cells of one notebook and prints their outputs as JSON.

Its text is handed to the Python inside, so it imports nothing of ours.
"""

import ast
import contextlib
import io
import json
import sys
from typing import Any


def run(cells: list[str], scope: dict[str, Any]) -> list[dict[str, Any]]:
    """Execute cells in order until one fails; return what each printed, showed and raised."""
    results = []
    for source in cells:
        printed, shown, raised = io.StringIO(), None, None
        try:
            with contextlib.redirect_stdout(printed):
                shown = execute(source, scope)
        except Exception as error:  # noqa: BLE001 - whatever a notebook raises is its output
            raised = [type(error).__name__, str(error)]
        results.append({"printed": printed.getvalue(), "shown": shown, "raised": raised})
        if raised:
            break
    return results


def execute(source: str, scope: dict[str, Any]) -> str | None:
    """Execute one cell; return the text of the value of its last line, if that is an expression with one."""
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "<cell>", "exec"), scope)  # noqa: S102 - this is the program that runs notebooks, in a sandbox
    if not isinstance(last, ast.Expr):
        return None
    value = eval(compile(ast.Expression(last.value), "<cell>", "eval"), scope)  # noqa: S307 - likewise
    return None if value is None else repr(value)


if __name__ == "__main__":
    told = json.load(sys.stdin)
    if told["seed"] is not None:
        import numpy as np

        np.random.seed(told["seed"])  # noqa: NPY002 - what an unseeded notebook draws from
    json.dump(run(told["cells"], {"__name__": "__main__"}), sys.stdout)
