"""The `tinsmith` command and what it is made of."""

import sys
from collections.abc import Sequence

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit status."""
    try:  # importing takes a moment, in which nobody else would answer an interrupt
        from tinsmith_driver import cli
    except KeyboardInterrupt:
        print("tinsmith: interrupted", file=sys.stderr)
        return 130
    return cli.main(arguments)
