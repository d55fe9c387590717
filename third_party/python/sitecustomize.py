"""Finds installed wheels where a remote worker has them; Python imports this by itself when it starts.

Packages of a wheel are folders, which are one file each to Bazel. When it sends an action away, it lays those in
runfiles out below `external/` instead (DirectoryTreeBuilder, Bazel 4 to 7 at least); single files stay in the runfiles.
"""

import re
import sys

_SITE = re.compile(r"(.*)/bazel-out/.*\.runfiles/([^/]+)/site")


def _both(entry: str) -> list[str]:
    """An entry of sys.path, and where else the packages in that folder may be."""
    found = _SITE.fullmatch(entry)
    return [entry] if found is None else [entry, f"{found[1]}/external/{found[2]}/site"]


sys.path[:] = [place for entry in sys.path for place in _both(entry)]
