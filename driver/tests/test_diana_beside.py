"""DIANA's two arrays at the same time: a network with a branch on each, its cycles and its trace."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from exact_cycles import exact_cycles
from tinsmith_driver.build import built
from tinsmith_driver.compilation import Compilation
from tinsmith_driver.engines import engines_for
from tinsmith_driver.inputs import random_samples
from tinsmith_driver.models import read_model
from tinsmith_driver.options import CompileOptions
from tinsmith_driver.pipelines import compile_model
from tinsmith_driver.running import traced
from tinsmith_driver.traces import Span, tracks_of
from tinsmith_emulators import MissingEmulatorError, need_emulator
from tinsmith_target import target

_TIMEOUT_SECONDS = 60

# Two convolutions of the digital array and two of the analog one of the same image, which the core turns for either;
# what the latter give is turned by the core, too.
_CHANNELS = 32
_WEIGHTS = _CHANNELS * 9 * _CHANNELS
_BRANCHES = f"""graph 2 "branches" {{
  input %x: i8[1,16,16,32]<0.5, 0>
  const %u: i8[32,3,3,32]<0.25, 0> = {np.random.default_rng(1).integers(-9, 10, _WEIGHTS).tolist()}
  const %v: i8[32,3,3,32]<0.25, 0> = {np.random.default_rng(2).integers(-9, 10, _WEIGHTS).tolist()}
  const %w: i8[32,3,3,32] = {np.random.default_rng(3).integers(-1, 2, _WEIGHTS).tolist()}
  const %b: i32[32]<0.25, 0> = {list(range(32))}
  const %c: i32[32]<1.0, 0> = {list(range(32))}
  const %m: i8[32] = {[3, -2] * 16}
  const %a: i8[32] = {list(range(32))}
  %h: i8[1,16,16,32]<1.0, 0> = requantize(%x) {{rounding=floor}}
  %d: i8[1,16,16,32]<4.0, 0> = conv2d(%h, %u, %b) {{rounding=floor, padding=[1,1,1,1]}}
  %e: i8[1,16,16,32]<32.0, 0> = conv2d(%d, %v, %c) {{rounding=floor, padding=[1,1,1,1]}}
  %f: i8[1,16,16,32]<32.0, 0> = analog_conv2d(%h, %w, %m, %a) {{gain=16, chunk_channels=32, bits=7, padding=[1,1,1,1]}}
  %g: i8[1,16,16,32]<32.0, 0> = analog_conv2d(%f, %w, %m, %a) {{gain=16, chunk_channels=32, padding=[1,1,1,1]}}
  %s: i8[1,16,16,32]<64.0, 0> = add(%e, %g) {{rounding=floor}}
  output %s
}}
"""

_HIDDEN = 0.8
"""At least of the cycles of the analog array's layers: the digital array computes meanwhile."""

_LAYERS_CYCLES = 2 * 16_000
"""About those of the digital array's two convolutions, all but a few of which the core's work hides, too."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    try:
        need_emulator(target("diana").board)
    except MissingEmulatorError as error:
        pytest.skip(str(error))
    found = tmp_path / "branches.tsm"
    found.write_text(_BRANCHES, encoding="utf-8")
    return found


def _compiled(path: Path, *without: str) -> Compilation:
    chosen = engines_for("diana", None, "both")
    options = CompileOptions(
        "diana", backend=chosen.backend, passes=tuple(chosen.passes), without=without
    )
    return compile_model(read_model(path), options)


def _shared_cycles(some: Sequence[Span], others: Sequence[Span]) -> int:
    return sum(
        max(0, min(one.end, other.end) - max(one.begin, other.begin))
        for one in some
        for other in others
    )


def test_branches_take_fewer_cycles_side_by_side(path: Path) -> None:
    """What both arrays do is nearly hidden, one by the other and by the core that turns images."""
    assert (
        exact_cycles(_compiled(path))
        < exact_cycles(_compiled(path, "overlap")) - 0.7 * _LAYERS_CYCLES
    )


def test_both_arrays_compute_at_the_same_time(path: Path) -> None:
    compilation = _compiled(path)
    with built(compilation) as build:
        trace = traced(build, random_samples(compilation.graph, 1), _TIMEOUT_SECONDS)
    tracks = tracks_of(trace)
    digital, analog = (
        [span for span in tracks[array] if span.name.startswith("conv")]
        for array in ("digital", "analog")
    )
    assert (len(digital), len(analog)) == (2, 2)
    alone = sum(span.end - span.begin for span in analog)
    assert _shared_cycles(digital, analog) > _HIDDEN * alone
