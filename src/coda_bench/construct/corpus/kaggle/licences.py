"""Licences: Kaggle's two ways of writing them, and those that allow passing data on.

Source of the names: the licences that Kaggle's documentation of data set metadata lists, and the long names that its
pages and search results show for them.
"""

import re
from collections.abc import Iterable

OPEN = (
    "CC0-1.0",
    "CC-BY-3.0",
    "CC-BY-4.0",
    "CC-BY-SA-3.0",
    "CC-BY-SA-4.0",
    "ODbL-1.0",
    "DbCL-1.0",
    "PDDL",
    "ODC-BY-1.0",
    "CDLA-Permissive-1.0",
    "CDLA-Sharing-1.0",
    "Apache-2.0",
    "MIT",
    "US-Government-Works",
)
"""Allowed by default: those that let anybody pass data on and change it, also for money."""
_LONG_NAMES = {
    "CC0: Public Domain": "CC0-1.0",
    "Attribution 3.0 Unported (CC BY 3.0)": "CC-BY-3.0",
    "Attribution 4.0 International (CC BY 4.0)": "CC-BY-4.0",
    "CC BY-SA 3.0": "CC-BY-SA-3.0",
    "CC BY-SA 4.0": "CC-BY-SA-4.0",
    "CC BY-NC-SA 4.0": "CC-BY-NC-SA-4.0",
    "Database: Open Database, Contents: © Original Authors": "ODbL-1.0",
    "Database: Open Database, Contents: Database Contents": "DbCL-1.0",
    "ODC Public Domain Dedication and Licence (PDDL)": "PDDL",
    "ODC Attribution License (ODC-By)": "ODC-BY-1.0",
    "Community Data License Agreement - Permissive - Version 1.0": "CDLA-Permissive-1.0",
    "Community Data License Agreement - Sharing - Version 1.0": "CDLA-Sharing-1.0",
    "Apache 2.0": "Apache-2.0",
    "U.S. Government Works": "US-Government-Works",
}


def _key(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "", name.lower())


_SHORT = {_key(name): name for name in OPEN} | {_key(long): short for long, short in _LONG_NAMES.items()}


def short_name(licence: str) -> str:
    """Return a licence under its short name, or as it is where none is known."""
    return _SHORT.get(_key(licence), licence.strip())


def allowed(licence: str | None, names: Iterable[str]) -> bool:
    """Say whether a licence is among those named, whatever way either is written; none stated is never."""
    return bool(licence) and _key(short_name(licence or "")) in {_key(short_name(name)) for name in names}
