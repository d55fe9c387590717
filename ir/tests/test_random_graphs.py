"""Random networks, of as many nodes as one asks for."""

import pytest
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
