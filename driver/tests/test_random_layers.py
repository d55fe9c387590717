"""Random layers of a benchmark: those that run, what is said of them, and what misses a bound."""

from dataclasses import replace
from pathlib import Path

import pytest
from tinsmith_driver.benchmarks.diana_layers import ANALOG, DIGITAL, LAYERS, layers_misses
from tinsmith_driver.benchmarks.random_layers import LayersRow, RandomLayers, layers_text
from tinsmith_driver.compilation import Compilation
from tinsmith_driver.models import Model
from tinsmith_emulators import MissingEmulatorError, need_emulator
from tinsmith_ir import parse_graph
from tinsmith_target import target

_FEW = 12
_GOOD = {
    DIGITAL: LayersRow(DIGITAL, 200, 131, 69, 131, ()),
    ANALOG: LayersRow(ANALOG, 200, 135, 65, 200, ()),
}

_LAYER = """graph 2 "layer" {
  input %x: i8[1,1,1,2]<0.5, 0>
  const %w: i8[1,1,1,2] = [1, -1]
  const %m: i8[1] = [3]
  const %a: i8[1] = [7]
  %y: i8[1,1,1,1]<0.5, 0> = analog_conv2d(%x, %w, %m, %a) {gain=GAIN, chunk_channels=2}
  output %y
}
"""
_WRITER = f"""
import pathlib, sys
import numpy as np
folder, count, array = sys.argv[1:]
assert (count, array) == ("2", "analog")
for seed, gain in enumerate(("16", "8")):
    path = pathlib.Path(folder) / f"layer_{{seed}}.tsm"
    path.write_text({_LAYER!r}.replace("GAIN", gain))
    np.savez(path.with_suffix(".npz"), x=np.zeros((3, 1, 1, 1, 2), np.int8))
"""


@pytest.fixture
def simulator() -> None:
    """Skips where the chip cannot be simulated."""
    try:
        need_emulator(target("diana").board)
    except MissingEmulatorError as error:
        pytest.skip(str(error))


@pytest.mark.usefixtures("simulator")
@pytest.mark.parametrize("layers", LAYERS, ids=[layers.accelerator for layers in LAYERS])
def test_layers_of_both_arrays_are_the_evaluators_on_the_chip(layers: RandomLayers) -> None:
    row = replace(layers, count=_FEW).row()
    assert (row.accelerator, row.layers, row.wrong) == (layers.accelerator, _FEW, ())
    assert 0 < row.taken < _FEW
    assert row.refused == _FEW - row.taken
    assert row.compared == (_FEW if layers.all_run else row.taken)
    assert [*replace(layers, count=_FEW).misses([row])] == []


@pytest.fixture
def two_layers(tmp_path: Path) -> RandomLayers:
    """The first is the array's, the second has another gain."""
    writer = tmp_path / "write.py"
    writer.write_text(_WRITER, encoding="utf-8")
    return replace(LAYERS[1], writer=writer, count=2)


@pytest.mark.usefixtures("simulator")
def test_who_is_refused_runs_only_where_all_do(two_layers: RandomLayers) -> None:
    assert two_layers.row() == LayersRow(ANALOG, 2, 1, 1, 2, ())
    assert replace(two_layers, all_run=False).row() == LayersRow(ANALOG, 2, 1, 1, 1, ())


@pytest.mark.usefixtures("simulator")
def test_wrong_bytes_are_found(two_layers: RandomLayers) -> None:
    """Of firmware that is held to a graph of another addend."""

    def compiled(model: Model) -> Compilation:
        made = two_layers.compiled(model)
        is_job = two_layers.jobs(made) > 0
        other = parse_graph(_LAYER.replace("GAIN", "16").replace("[7]", "[8]"))
        return replace(made, reference=other) if is_job else made

    assert replace(two_layers, compiled=compiled).row().wrong == ("layer_0",)


def test_missed_bounds_are_told() -> None:
    assert [*layers_misses([*_GOOD.values()])] == []
    assert [*layers_misses([])] == []
    few = replace(_GOOD[ANALOG], taken=40, refused=160, compared=199, wrong=("layer_7",))
    assert [*layers_misses([replace(_GOOD[DIGITAL], compared=130), few])] == [
        "random layers, digital: 130 of 200 ran",
        "random layers, analog: 1 differ from the evaluator: layer_7",
        "random layers, analog: 40 of 200 are the accelerator's, which says little",
        "random layers, analog: 199 of 200 ran",
    ]


def test_there_is_a_line_for_each_accelerator() -> None:
    assert layers_text([]) == ""
    lines = layers_text(_GOOD.values()).splitlines()
    assert [line.split() for line in lines[2:]] == [
        ["digital", "200", "131", "69", "131", "0"],
        ["analog", "200", "135", "65", "200", "0"],
    ]
