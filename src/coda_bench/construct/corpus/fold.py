"""Near-duplicates among notebooks: about nine in ten of raw ones are, and each would count anew."""

import hashlib
import io
import re
import tokenize
from collections.abc import Mapping
from typing import Any

from coda_bench.construct.tables import HINT
from coda_bench.errors import MissingExtra

_SHINGLE = 5
_PERMUTATIONS = 128
_WORD = re.compile(r"\w+|[^\w\s]")
_LAYOUT = frozenset(
    {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
)


def folded(codes: Mapping[str, str], *, similarity: float = 0.9) -> dict[str, str]:
    """Return, by notebook, the one it repeats: the first by name of those that are alike.

    Args:
        codes: the code of each notebook by its name.
        similarity: of the sets of five tokens in a row (Jaccard), from which two notebooks are one; above 1 none are.

    Raises:
        MissingExtra: datasketch is not installed.
    """
    if similarity > 1:
        return {}
    shingles = {name: _shingles(code) for name, code in sorted(codes.items())}
    kept: dict[str, frozenset[bytes]] = {}
    repeats: dict[str, str] = {}
    index = _Index(similarity)
    for name, own in shingles.items():
        if not own:
            continue
        twin = next((other for other in index.alike(own) if _jaccard(own, kept[other]) >= similarity), None)
        if twin:
            repeats[name] = twin
        else:
            kept[name] = own
            index.add(name, own)
    return repeats


class _Index:
    """Candidates by MinHash, so that not every two notebooks are compared."""

    def __init__(self, similarity: float) -> None:
        try:
            import datasketch  # noqa: PLC0415 - an extra
        except ImportError as missing:
            raise MissingExtra(HINT) from missing
        self._library: Any = datasketch
        # Looked for below what is asked, since the index only estimates.
        self._index: Any = datasketch.MinHashLSH(threshold=max(0.1, similarity - 0.2), num_perm=_PERMUTATIONS)

    def _hash(self, shingles: frozenset[bytes]) -> Any:
        made = self._library.MinHash(num_perm=_PERMUTATIONS, seed=1)
        made.update_batch(sorted(shingles))
        return made

    def alike(self, shingles: frozenset[bytes]) -> list[str]:
        return sorted(self._index.query(self._hash(shingles)))

    def add(self, name: str, shingles: frozenset[bytes]) -> None:
        self._index.insert(name, self._hash(shingles))


def _shingles(code: str) -> frozenset[bytes]:
    tokens = _tokens(code)
    if not tokens:
        return frozenset()
    rows = range(max(1, len(tokens) - _SHINGLE + 1))
    return frozenset(hashlib.sha256("\0".join(tokens[row : row + _SHINGLE]).encode()).digest()[:8] for row in rows)


def _tokens(code: str) -> list[str]:
    """Return a code's tokens without comments and layout; of code that is no Python of today its words."""
    try:
        found = tokenize.generate_tokens(io.StringIO(code).readline)
        return [token.string for token in found if token.type not in _LAYOUT]
    except (tokenize.TokenError, SyntaxError, IndentationError):
        return _WORD.findall(re.sub(r"#.*", "", code))


def _jaccard(one: frozenset[bytes], other: frozenset[bytes]) -> float:
    return len(one & other) / len(one | other)
