"""Compiles Python files into folders `__pycache__`: `compile_bytecode.py --into FOLDER FILE... [--into ...]`."""

import argparse
import py_compile
from importlib.util import cache_from_source
from pathlib import Path


def main() -> None:
    """Every file's bytecode under the name by which this Python looks for it.

    Raises py_compile.PyCompileError.
    """
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--into", nargs="+", action="append", required=True)
    for folder, *files in parser.parse_args().into:
        for file in files:
            # Python compares the hash: beside bazel-bin is the checkout's source, which may have been edited since.
            py_compile.compile(
                file,
                str(Path(folder, Path(cache_from_source(file)).name)),
                doraise=True,
                invalidation_mode=py_compile.PycInvalidationMode.CHECKED_HASH,
            )


if __name__ == "__main__":
    main()
