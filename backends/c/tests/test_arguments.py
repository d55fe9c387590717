"""Wrong arguments are refused at once."""

from typing import Any

import pytest
from tinsmith_c import WriteOptions, c_name, layer_facts, write
from tinsmith_ir import ArgumentError
from tinsmith_ir.testing import random_graph
from tinsmith_target import target

GRAPH, HOST = random_graph(1), target("host")


@pytest.mark.parametrize(
    ("make", "arguments", "message"),
    [
        (write, (GRAPH, HOST, ()), "program to be Program"),
        (layer_facts, (GRAPH, HOST, ()), "program to be Program"),
        (c_name, ("name",), "program to be Program"),
        (WriteOptions, (1.0,), "tool_version to be str"),
        (WriteOptions, ("1", "", "packed=no"), "options"),
    ],
)
def test_a_wrong_type_is_refused_at_once(make: Any, arguments: Any, message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        make(*arguments)
