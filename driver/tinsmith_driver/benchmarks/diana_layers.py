"""Networks and layers compiled for the simulated DIANA, and random layers at the borders of what its arrays take."""

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from tinsmith_driver.benchmarks.random_layers import LayersRow, RandomLayers
from tinsmith_driver.engines import engines_for
from tinsmith_driver.options import CompileOptions, PassChoice
from tinsmith_driver.pipelines import Compilation, Model, compile_model

TARGET = "diana"
DIGITAL, ANALOG, BOTH = "digital", "analog", "both"
"""Engines, as `--engines` has them."""

_WRITER = Path("backends/diana/tools/write_diana_layers.py")
_COUNT = 200


def compiled(
    model: Model, engines: str, passes: Sequence[str] = (), *, target: str = TARGET
) -> Compilation:
    """passes: choices, as text."""
    chosen = engines_for(target, None, engines)
    choices = (*map(PassChoice.parse, passes), *chosen.passes)
    return compile_model(model, CompileOptions(target, backend=chosen.backend, passes=choices))


LAYERS = tuple(
    RandomLayers(
        array,
        _WRITER,
        _COUNT,
        partial(compiled, engines=array),
        f"tinsmith_diana_{array}",
        (array,),
        all_run,
    )
    # Who computes an analog layer that the array refuses is plain C of the same library, so it runs, too.
    for array, all_run in ((DIGITAL, False), (ANALOG, True))
)
"""Of each array."""


def layers_misses(rows: Sequence[LayersRow]) -> Iterator[str]:
    """rows: of each array, or none."""
    for layers, row in zip(LAYERS, rows, strict=bool(rows)):
        yield from layers.misses([row])
