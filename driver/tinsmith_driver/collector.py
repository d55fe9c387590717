"""Python's search for cycles, put off while a network is compiled."""

import gc
from collections.abc import Generator
from contextlib import contextmanager


@contextmanager
def collector_paused() -> Generator[None]:
    """No search for cycles of objects meanwhile, as a decorator, too.

    Nearly all that a compilation makes lives until its end, and each search walks all that lives: of large networks
    it takes a tenth of the time. What few cycles there are (a graph under rewriting) wait for the next search.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
