"""What all commands share: where they print, how they fail, and their exit codes.

Exit codes: 0 done; 1 done with findings or with attempts missing; 2 unusable input or machine;
130 interrupted.
"""

import codecs
import io
import json
import sys
from collections.abc import Callable
from functools import wraps
from typing import Any, NoReturn, ParamSpec, TypeVar

import typer
from rich.console import Console

from coda_bench.errors import CodaBenchError

for _stream in (sys.stdout, sys.stderr):
    if isinstance(_stream, io.TextIOWrapper):
        _stream.reconfigure(errors="backslashreplace")  # a terminal that cannot show a letter is no fault

console = Console(soft_wrap=False, highlight=False)
errors = Console(stderr=True, highlight=False, soft_wrap=True)

EXIT_FINDINGS = 1
EXIT_UNUSABLE = 2
EXIT_SIGNAL = 128
"""Plus the signal's number: ended by a signal."""
EXIT_INTERRUPTED = EXIT_SIGNAL + 2

P = ParamSpec("P")
R = TypeVar("R")


def print_json(value: Any) -> None:
    """Print a value as JSON on standard output, one document and nothing else."""
    is_utf8 = codecs.lookup(sys.stdout.encoding or "ascii").name == "utf-8"
    sys.stdout.write(json.dumps(value, ensure_ascii=not is_utf8, indent=2, allow_nan=False) + "\n")
    sys.stdout.flush()


def visible(text: str) -> str:
    """Return a text nobody vouches for without what a terminal would obey or hide: escapes, direction marks."""
    return "".join(letter if letter.isprintable() or letter in "\n\t" else "\ufffd" for letter in text)


def fail(message: str, *, code: int = EXIT_UNUSABLE) -> NoReturn:
    """Print an error line and leave the command."""
    errors.print(f"error: {visible(message)}", style="bold red", markup=False)
    raise typer.Exit(code)


def guarded(command: Callable[P, R]) -> Callable[P, R]:
    """Turn this project's errors into one line on standard error and exit code 2, without a traceback."""

    @wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return command(*args, **kwargs)
        except CodaBenchError as error:
            fail(str(error))
        except BrokenPipeError:
            # The reader (such as `head`) went away: nothing more to say to it.
            sys.stderr.close()
            raise typer.Exit(EXIT_FINDINGS) from None
        except OSError as error:
            fail(f"{error.filename or 'output'}: {error.strerror or error}")
        except KeyboardInterrupt:
            errors.print("interrupted", markup=False)
            raise typer.Exit(EXIT_INTERRUPTED) from None

    return run
