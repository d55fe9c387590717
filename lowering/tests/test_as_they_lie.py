"""Kernels for operands that lie in their layouts already: `lower` turns none for them."""

from dataclasses import replace
from typing import ClassVar

import numpy as np
import pytest
from numpy.typing import NDArray
from tinsmith_ir import ElementLayout, Graph, TensorType, parse_graph
from tinsmith_lowering import (
    Kernel,
    Layer,
    Layouts,
    kernels_by_unit,
    layer_of_node,
    lower,
    supported_operators,
)
from tinsmith_lowering.testing import toys
from tinsmith_target import target

_REASON = "toy_add_of_turned: Operands lie in its layouts already: operand 0 is not toy_turned"


class Turned(ElementLayout):
    """The last element first."""

    name: ClassVar[str] = "toy_turned"

    def size_bytes(self, type_: TensorType) -> int:
        return type_.size_bytes

    def offsets(self, type_: TensorType) -> NDArray[np.int64]:
        return np.arange(type_.elements)[::-1].reshape(type_.shape) * type_.dtype.size_bytes


def _gives_turned(layer: Layer) -> Layouts:
    del layer
    return Layouts(outputs=(Turned.name,))


def _takes_turned(layer: Layer) -> Layouts:
    return Layouts((Turned.name,) * len(layer.inputs))


def kernels() -> tuple[Kernel, ...]:
    """A relu that gives what lies turned, an add that takes it as it lies, and one of dense vectors."""
    own = toys()
    turned = replace(own.add, name="toy_add_of_turned", layouts=_takes_turned, as_they_lie=True)
    return turned, own.add, replace(own.relu, layouts=_gives_turned), own.copy


def add_of(first: str, second: str) -> Graph:
    """Of %x, which is dense, %y, which lies turned, and %c, a constant."""
    return parse_graph(f"""graph 2 "g" {{
  input %x: f32[3]
  const %c: f32[3] = [1.0, 2.0, 3.0]
  %y: f32[3] = relu(%x)
  %z: f32[3] = add(%{first}, %{second})
  output %y
  output %z
}}""")


@pytest.mark.parametrize("second", ["y", "c"])
def test_it_is_chosen_where_computed_operands_lie_as_it_takes_them(second: str) -> None:
    program = lower(add_of("y", second), target("host"), kernels())
    assert [call.kernel for call in program.calls] == ["toy_relu", "toy_add_of_turned"]


@pytest.mark.parametrize(
    ("first", "second", "reason"),
    [("x", "y", _REASON), ("y", "x", _REASON.replace("operand 0", "operand 1"))],
)
def test_another_one_is_chosen_where_an_operand_would_be_turned(
    first: str, second: str, reason: str
) -> None:
    call = lower(add_of(first, second), target("host"), kernels()).calls[-1]
    assert call.kernel == "toy_add"
    assert call.reason == reason


def test_how_operands_lie_is_no_reason_where_the_same_accelerator_takes_them() -> None:
    turned, add, relu, copy = kernels()
    array = [replace(kernel, accelerator="array") for kernel in (turned, add)]
    call = lower(add_of("x", "y"), target("host"), (*array, relu, copy)).calls[-1]
    assert (call.kernel, call.reason) == ("toy_add", "")
    others = (array[0], add, relu, copy)
    assert lower(add_of("x", "y"), target("host"), others).calls[-1].reason == _REASON


def test_a_rule_is_no_reason_where_the_same_accelerator_takes_what_lies_otherwise() -> None:
    turned, add, relu, copy = kernels()
    array = [
        replace(turned, accelerator="array", rules=(_is_first,)),
        replace(add, accelerator="array"),
    ]
    call = lower(add_of("x", "y"), target("host"), (*array, relu, copy)).calls[-1]
    assert (call.kernel, call.reason) == ("toy_add", "")
    others = (array[0], add, relu, copy)
    reason = lower(add_of("x", "y"), target("host"), others).calls[-1].reason
    assert reason == "toy_add_of_turned: The layer is called so: it is z"


def test_what_was_turned_for_others_lies_in_both_layouts() -> None:
    """An add that has %x turned, and behind it one that takes it so."""
    turning, *others = kernels()
    eager = replace(turning, name="toy_eager_add", rules=(_is_first,), as_they_lie=False)
    graph = parse_graph("""graph 2 "g" {
  input %x: f32[3]
  %first: f32[3] = add(%x, %x)
  %second: f32[3] = add(%x, %x)
  output %first
  output %second
}""")
    found = [call.kernel for call in lower(graph, target("host"), (eager, turning, *others)).calls]
    assert found == ["toy_eager_add", "toy_add_of_turned"]


def _is_first(layer: Layer) -> str | None:
    """The layer is called so."""
    return None if layer.name == "first" else f"it is {layer.name}"


def test_no_engine_is_able_by_it_alone() -> None:
    """Whoever gives a layer to an engine does not know where its operands will lie."""
    turned, *others = kernels()
    array = replace(turned, accelerator="array")
    graph = add_of("y", "y")
    layer = layer_of_node(graph, graph.nodes[-1], target("host"))
    found = {unit: kernel.name for unit, kernel in kernels_by_unit(layer, (array, *others)).items()}
    assert found == {"cores": "toy_add"}


def test_the_manual_says_so() -> None:
    first, second, *_ = kernels()
    assert "Operands lie in its layouts already" in supported_operators([first])
    assert "Operands lie in its layouts already" not in supported_operators([second])
