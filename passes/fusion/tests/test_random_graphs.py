"""All bit-exact fusions on random graphs."""

import pytest
from tinsmith_fusion import (
    FuseActivations,
    FusePadding,
    FuseRequantization,
    ReplaceDepthwise,
    ReplaceMeans,
)
from tinsmith_ir.dtypes import DType
from tinsmith_ir.passes import GraphPass
from tinsmith_ir.pipeline import Pipeline
from tinsmith_ir.testing import random_graph, random_inputs

PASSES: tuple[GraphPass, ...] = (
    FuseRequantization(),
    FusePadding(),
    ReplaceDepthwise(),
    ReplaceMeans(),
    FuseActivations(),
)

SEEDS = range(80)


@pytest.mark.parametrize("dtype", [DType.INT8, DType.FLOAT32])
@pytest.mark.parametrize("seed", SEEDS)
def test_random_graphs_keep_their_bits(seed: int, dtype: DType) -> None:
    graph = random_graph(seed, dtype=dtype, nodes=12)
    result = Pipeline(PASSES).run(graph, random_inputs(graph, seed))
    assert all(record.verified for record in result.records)
    again = Pipeline(PASSES).run(result.graph)
    assert again.graph is result.graph


def test_random_graphs_do_give_each_pass_something_to_do() -> None:
    """Else the test above would prove little."""
    fired: set[str] = set()
    for seed in SEEDS:
        for dtype in (DType.INT8, DType.FLOAT32):
            graph = random_graph(seed, dtype=dtype, nodes=12)
            fired |= {pass_.name for pass_ in PASSES if pass_.run(graph) is not graph}
    assert fired == {pass_.name for pass_ in PASSES}
