"""Parts of networks compute what the whole does there, bit by bit."""

from itertools import pairwise

import numpy as np
import pytest
from tinsmith_driver.inputs import random_samples
from tinsmith_driver.parts import Case, cut, of_samples, part, with_outputs
from tinsmith_ir import Box, DType, Graph
from tinsmith_ir.random_states import with_states
from tinsmith_ir.testing import random_graph

SEEDS = 20
FRAMES = 3


def _graph(seed: int) -> Graph:
    dtype = (DType.INT8, DType.INT16, DType.FLOAT32)[seed % 3]
    graph = random_graph(seed, dtype=dtype, nodes=10)
    return with_states(graph, seed) if seed % 2 else graph


def _assert_same(found: Case, values: dict[str, np.ndarray]) -> None:
    for name, array in found.values().items():
        assert array.tobytes() == np.ascontiguousarray(values[name]).tobytes(), name


@pytest.mark.parametrize("seed", range(SEEDS))
def test_some_nodes_compute_what_they_did(seed: int) -> None:
    graph = _graph(seed)
    case = of_samples(graph, random_samples(graph, FRAMES))
    values, generator = case.values(), np.random.default_rng(seed)
    for share in (0.2, 0.5, 0.8):
        units = {name for name in case.units if generator.random() < share}
        found = part(case, units, values)
        if found is None:
            continue
        assert {*found.units} == units
        _assert_same(found, values)
        names = [value.name for value in found.graph.outputs]
        fewer = with_outputs(found, names[:1], values)
        assert fewer is not None
        assert [value.name for value in fewer.graph.outputs] == names[:1]
        _assert_same(fewer, values)


def test_outputs_are_cut_together_with_what_leads_to_them() -> None:
    cuts = 0
    for seed in range(SEEDS):
        graph = _graph(seed)
        case = of_samples(graph, random_samples(graph, FRAMES))
        values = case.values()
        pairs = [{first, second} for first, second in pairwise(case.units)]
        for some in filter(None, (part(case, units, values) for units in pairs)):
            cuts += _assert_cut_right(some)
    assert cuts > 20 * SEEDS


def _assert_cut_right(case: Case) -> int:
    """Cut the second half of each axis of its outputs. Returns how often that was possible."""
    cuts, values = 0, case.values()
    for output in case.graph.outputs:
        whole = Box.whole(output.type.shape)
        for axis, size in enumerate(output.type.shape):
            if size == 1:
                continue
            box = whole.with_range(axis, size // 2, size)
            found = cut(case, output.name, box)
            if found is None:
                continue
            cuts += 1
            wanted = {value.name: values[value.name] for value in case.graph.outputs}
            wanted[output.name] = values[output.name][(slice(None), *box.slices)]
            results = found.values()
            for name, array in wanted.items():
                assert results[name].tobytes() == np.ascontiguousarray(array).tobytes()
    return cuts
