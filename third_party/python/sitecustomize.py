"""Finds installed wheels where a remote worker has them; Python imports this by itself when it starts.

A wheel is one folder to Bazel, in the runfiles of what imports it. When it sends an action away, Bazel lays the files of
such a folder out below `external/`, not below the runfiles (DirectoryTreeBuilder, Bazel 4 to 7 at least).
"""

import re
import sys
from pathlib import Path

_SITE = re.compile(r"(.*)/bazel-out/.*\.runfiles/([^/]+)/site")


def _laid_out(entry: str) -> str:
    """What to import from in place of `entry` of sys.path, which is the same wherever runfiles are whole."""
    found = _SITE.fullmatch(entry)
    if found is None or Path(entry).exists():
        return entry
    return f"{found[1]}/external/{found[2]}/site"


sys.path[:] = [_laid_out(entry) for entry in sys.path]
