"""Lists the files of a checkout that test_tree looks at: `listing.py CHECKOUT`. Standard library only."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path


def listing(checkout: Path) -> Iterator[str]:
    """BUILD files, pyproject.toml and modules, whether or not any package has them."""
    for folder, names, files in os.walk(checkout):
        names[:] = sorted(name for name in names if not name.startswith((".", "bazel-")))
        for file in sorted(files):
            if file in ("BUILD", "pyproject.toml") or file.endswith(".py"):
                yield (Path(folder) / file).relative_to(checkout).as_posix()


if __name__ == "__main__":
    print("\n".join(listing(Path(sys.argv[1]))))
