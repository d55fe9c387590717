"""Wrong arguments are refused at once."""

from typing import Any

import pytest
from tinsmith_ir import ArgumentError, DType
from tinsmith_ir.testing import random_graph
from tinsmith_lowering import Emission, Signature, lower
from tinsmith_lowering.testing import toys
from tinsmith_target import target

GRAPH, HOST = random_graph(1), target("host")


@pytest.mark.parametrize(
    ("make", "arguments", "message"),
    [
        (lower, ("graph", HOST, ()), "lower: expected graph to be Graph"),
        (lower, (GRAPH, "host", ()), "target to be Target"),
        (lower, (GRAPH, HOST, toys()), "kernels"),
        (Signature, ((DType.INT8,), "i8"), "output to be DType"),
        (Emission, ("  f();",), "statements"),
    ],
)
def test_a_wrong_type_is_refused_at_once(make: Any, arguments: Any, message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        make(*arguments)
