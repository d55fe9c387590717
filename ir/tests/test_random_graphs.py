"""Random networks, of as many nodes as one asks for."""

import pytest
from tinsmith_ir.dtypes import DType
from tinsmith_ir.operators import Concat
from tinsmith_ir.rounding import Rounding
from tinsmith_ir.testing import random_graph


@pytest.mark.parametrize(
    ("seed", "nodes"),
    [
        (113, 14),  # a product of matrices whose scale no multiplier of four bits holds
        (403, 24),  # a scalar that was to be normalized
        (480, 24),  # a scalar that was to be transposed
    ],
)
def test_whatever_is_drawn_can_be_built(seed: int, nodes: int) -> None:
    assert len(random_graph(seed, nodes=nodes).nodes) >= nodes // 2


def test_a_multiplier_has_bits_for_the_ratio_of_the_scales() -> None:
    """Of a concat of a softmax, and a sum whose scale is 593 times that of the result."""
    graph = random_graph(179, dtype=DType.INT8, nodes=14, roundings=(Rounding.NEAREST,))
    (concat,) = (node.operator for node in graph.nodes if isinstance(node.operator, Concat))
    assert concat.multiplier_bits == 31
