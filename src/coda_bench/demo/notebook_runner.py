"""Run inside a sandbox: execute notebooks cell by cell and write what they print, as outputs of the notebook format.

Sent as text and run by the analysis environment's Python; standard library only. Standard input holds
`{"seed", "notebooks": [{"name", "cells": {number: source}, "order": [number], "writable": [slug]}]}`; the result goes
to `/workspace/outputs.json`: for every notebook and cell `{"count": n, "outputs": [...]}`. A notebook ends at its first
error, which is stored as its last output. The random generators that a notebook does not
seed get the seed of the request, so that the same request prints the same again.
"""

import ast
import base64
import contextlib
import io
import json
import os
import random
import re
import shutil
import sys
import traceback
import zlib
from typing import Any

WORKSPACE = "/workspace"
INPUT = "/kaggle/input"
DOTS_PER_INCH = 50
_MAGIC = re.compile(r"^[ \t]*[%!].*$", re.MULTILINE)


def main() -> None:
    """Execute what standard input names, each notebook in a process of its own that begins with the same imports."""
    import matplotlib as mpl  # noqa: PLC0415 -- imported once, before the processes part: it takes a second
    import numpy as np  # noqa: F401, PLC0415
    import pandas  # type: ignore[import-untyped]  # noqa: F401, ICN001, PLC0415

    mpl.use("Agg")
    request, results = json.load(sys.stdin), {}
    for notebook in request["notebooks"]:
        target = os.path.join(WORKSPACE, f"{notebook['name']}.json")
        child = os.fork()
        if child == 0:
            _execute_to(notebook, request["seed"], target)
        os.waitpid(child, 0)
        with open(target, encoding="utf-8") as stream:
            results[notebook["name"]] = json.load(stream)
    with open(os.path.join(WORKSPACE, "outputs.json"), "w", encoding="utf-8") as stream:
        json.dump(results, stream)


def _execute_to(notebook: dict[str, Any], seed: int, target: str) -> None:
    try:
        _enter(notebook)
        result = _execute(notebook, seed)
        with open(target, "w", encoding="utf-8") as stream:
            json.dump(result, stream)
    finally:
        os._exit(0)


def _enter(notebook: dict[str, Any]) -> None:
    """Go to a folder like Kaggle's: `../input/<slug>` beside the working directory; inputs to be changed are copies."""
    here = os.path.join(WORKSPACE, notebook["name"])
    os.makedirs(os.path.join(here, "notebooks"))
    os.mkdir(os.path.join(here, "input"))
    for slug in os.listdir(INPUT):
        place = os.path.join(here, "input", slug)
        if slug in notebook["writable"]:
            shutil.copytree(os.path.join(INPUT, slug), place, copy_function=shutil.copyfile)
            for folder, _, _ in os.walk(place):
                os.chmod(folder, 0o755)  # noqa: S103 -- a copy inside the sandbox
        else:
            os.symlink(os.path.join(INPUT, slug), place)
    os.chdir(os.path.join(here, "notebooks"))


def _execute(notebook: dict[str, Any], seed: int) -> dict[str, Any]:
    import numpy as np  # noqa: PLC0415 -- as above

    seed = zlib.crc32(f"{seed} {notebook['name']}".encode())
    random.seed(seed)
    np.random.seed(seed)  # noqa: NPY002 -- the generator that old code uses without a seed
    names: dict[str, Any] = {"__name__": "__main__"}
    results = {}
    for count, number in enumerate(notebook["order"], 1):
        outputs = _run_cell(notebook["cells"][str(number)], number, count, names)
        results[str(number)] = {"count": count, "outputs": outputs}
        if any(output["output_type"] == "error" for output in outputs):
            break
    return results


def _run_cell(source: str, number: int, count: int, names: dict[str, Any]) -> list[dict[str, Any]]:
    out, err = io.StringIO(), io.StringIO()
    failure, value = None, None
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            value = _evaluate(_MAGIC.sub("", source), f"<cell {number}>", names)
        except BaseException as error:  # noqa: BLE001 -- a cell may raise anything, and what it raises is its output
            failure = error
    outputs = [_stream(name, text.getvalue()) for name, text in (("stdout", out), ("stderr", err)) if text.getvalue()]
    outputs += _figures()
    if failure is not None:
        outputs.append(_error(failure, f"<cell {number}>"))
    elif value is not None:
        outputs.append(_result(count, value))
    return outputs


def _evaluate(source: str, where: str, names: dict[str, Any]) -> Any:
    """Run a cell and return the value of its last expression."""
    tree = ast.parse(source, where)
    last = tree.body[-1] if tree.body else None
    if isinstance(last, ast.Expr):
        tree.body.pop()
    exec(compile(tree, where, "exec"), names)  # noqa: S102 -- what a notebook is for; this runs in a sandbox
    if not isinstance(last, ast.Expr):
        return None
    return eval(compile(ast.Expression(last.value), where, "eval"), names)  # noqa: S307 -- likewise


def _stream(name: str, text: str) -> dict[str, Any]:
    return {"output_type": "stream", "name": name, "text": text}


def _result(count: int, value: Any) -> dict[str, Any]:
    data = {"text/plain": repr(value)}
    return {"output_type": "execute_result", "execution_count": count, "data": data, "metadata": {}}


def _figures() -> list[dict[str, Any]]:
    """Return the figures a cell left open, as pictures without the name of the program that drew them."""
    if "matplotlib.pyplot" not in sys.modules:
        return []
    from matplotlib import pyplot as plt  # noqa: PLC0415 -- loaded already

    outputs = []
    for number in plt.get_fignums():
        figure, buffer = plt.figure(number), io.BytesIO()
        figure.savefig(buffer, format="png", dpi=DOTS_PER_INCH, metadata={"Software": None})
        picture = base64.b64encode(buffer.getvalue()).decode()
        data = {"image/png": picture, "text/plain": f"<Figure with {len(figure.axes)} Axes>"}
        outputs.append({"output_type": "display_data", "data": data, "metadata": {}})
    plt.close("all")
    return outputs


def _error(error: BaseException, where: str) -> dict[str, Any]:
    """Return an error with the line of the cell, and none of paths that differ from machine to machine."""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == where]
    name, text = type(error).__name__, str(error)
    shown = [f"{where}, line {lines[-1]}"] if lines else []
    return {"output_type": "error", "ename": name, "evalue": text, "traceback": [*shown, f"{name}: {text}"]}


if __name__ == "__main__":
    main()
