"""Networks and layers compiled for the simulated DIANA, and random layers at the borders of what its arrays take."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from tinsmith_target import ChipConstant, SocSimulator

from tinsmith_driver.benchmarks.random_layers import LayersRow, RandomLayers
from tinsmith_driver.build import Build
from tinsmith_driver.compilation import Compilation
from tinsmith_driver.engines import engines_for
from tinsmith_driver.models import Model
from tinsmith_driver.options import CompileOptions, PassChoice
from tinsmith_driver.pipelines import compile_model

TARGET = "diana"
DIGITAL, ANALOG, BOTH = "digital", "analog", "both"
"""Engines, as `--engines` has them."""

_WRITER = Path("backends/diana/tools/write_diana_layers.py")
_COUNT = 200


def compiled(
    model: Model,
    engines: str,
    passes: Sequence[str] = (),
    target: str = TARGET,
    without: Sequence[str] = (),
) -> Compilation:
    """passes: choices, as text. target: the chip, with features or not. without: names of passes that are left out."""
    chosen = engines_for(target, None, engines)
    choices = (*map(PassChoice.parse, passes), *chosen.passes)
    options = CompileOptions(target, backend=chosen.backend, passes=choices, without=tuple(without))
    return compile_model(model, options)


def with_chip(build: Build, constants: Mapping[str, int]) -> Build:
    """The same firmware on a simulated chip with these constants of its description, as `soc --set` names them."""
    target = build.firmware.target
    emulator = target.board.emulator
    assert isinstance(emulator, SocSimulator)
    changes = tuple(ChipConstant(name, value) for name, value in constants.items())
    chip = replace(emulator, constants=(*emulator.constants, *changes))
    other = replace(target, board=replace(target.board, emulator=chip))
    return replace(build, firmware=replace(build.firmware, target=other))


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
