"""The `tinsmith` command and what it is made of."""

import sys
from collections.abc import Sequence

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit status: 0 done, 1 the answer is no, 2 wrong use, 3 bad model file, 4
    internal error, 130 interrupted. Errors are told on standard error and not raised.

    arguments: as behind `tinsmith`, such as ["targets"]; None for the program's own.
    """
    try:  # importing takes a moment, in which nobody else would answer an interrupt
        from tinsmith_driver import cli
    except KeyboardInterrupt:
        print("tinsmith: interrupted", file=sys.stderr)
        return 130
    return cli.main(arguments)
