import numpy as np
import pytest
from tinsmith_ir import DType, GraphError, Location, UnsupportedError, evaluate_graph
from tinsmith_ir.operators import Add, Exp, Relu
from tinsmith_ir.types import TensorType
from tinsmith_tensors import LARGEST_KNOWN_BYTES, Composer, Tensor
from tinsmith_tensors.elementwise import add, equal, mul, where
from tinsmith_tensors.movement import broadcast_to, concat, pad, reshape, slice_

F32 = np.float32


def floats(*shape: int) -> TensorType:
    return TensorType(shape, DType.FLOAT32)


def test_operators_on_known_tensors_are_computed_at_once_as_firmware_would() -> None:
    c = Composer("g")
    numbers = np.array([1.0, 2.0], F32)
    folded = c.emit(Exp(), c.known(numbers)).array
    assert folded is not None
    graph = c.build({c.reserve("y"): c.emit(Exp(), c.input("x", floats(2)))})
    assert np.array_equal(folded, evaluate_graph(graph, [numbers])["y"])


def test_integers_of_any_kind_are_known() -> None:
    c = Composer("g")
    sizes = c.known(np.array([3, 4], np.uint64))
    product = mul(c, sizes, c.known(np.array(2, np.uint64)))
    assert product.array is not None
    assert product.array.tolist() == [6, 8]
    assert product.array.dtype == np.uint64


def test_a_known_tensor_becomes_one_constant_where_it_is_read() -> None:
    c = Composer("g")
    x = c.input("x", floats(2))
    one = Tensor(array=np.array([1.0, 1.0], F32), hint="one")
    unused = c.known(np.zeros(9, F32))
    assert unused.is_known
    y = add(c, add(c, x, one), one)
    graph = c.build({c.reserve("y"): y})
    assert [constant.value.name for constant in graph.constants] == ["one"]
    assert evaluate_graph(graph, [np.zeros(2, F32)])["y"].tolist() == [2.0, 2.0]


def test_nodes_have_the_place_and_the_name_that_are_set() -> None:
    c = Composer("g")
    x = c.input("x", floats(2))
    with c.at(Location("net", "op 1"), "layer/1"):
        y = c.emit(Relu(), x)
    graph = c.build({c.reserve("out"): c.emit(Exp(), y)})
    assert [node.name for node in graph.nodes] == ["layer_1", "out"]
    assert str(graph.nodes[0].location) == "net: op 1"


def test_outputs_keep_their_names_from_all_others() -> None:
    c = Composer("g")
    name = c.reserve("y")
    x = c.input("x", floats(2))
    with c.at(Location(), "y"):
        inner = c.emit(Exp(), x)
        y = c.emit(Relu(), inner)
    graph = c.build({name: y})
    assert [node.name for node in graph.nodes] == ["y_2", "y"]


def test_operands_that_do_not_fit_are_refused_at_once() -> None:
    c = Composer("g")
    with pytest.raises(GraphError, match="broadcast"):
        c.emit(Add(), c.input("a", floats(2)), c.input("b", floats(3)))


def test_known_tensors_are_bounded() -> None:
    c = Composer("g")
    one = c.known(np.zeros(1, F32))
    with pytest.raises(UnsupportedError, match="known tensor of at most"):
        broadcast_to(c, one, (LARGEST_KNOWN_BYTES,))
    with pytest.raises(UnsupportedError, match="known tensor of at most"):
        pad(c, one, [(LARGEST_KNOWN_BYTES, 0)], 0.0)


def test_infinities_that_are_not_only_moved_are_the_largest_floats_as_sums_end_there() -> None:
    c = Composer("g")
    x = c.input("x", floats(2))
    mask = c.known(np.array([0.0, -np.inf], F32))
    chosen = where(c, equal(c, x, x), mask, x)
    outputs = {"seen": equal(c, add(c, x, mask), mask), "mask": mask, "chosen": chosen}
    graph = c.build({c.reserve(name): tensor for name, tensor in outputs.items()})
    results = evaluate_graph(graph, [np.zeros(2, F32)])
    assert results["seen"].tolist() == [True, True]
    assert results["mask"].tolist() == results["chosen"].tolist() == [0.0, -np.inf]
    assert len(graph.constants) == 2


def test_states_are_kept() -> None:
    c = Composer("g")
    state = c.state("s", np.zeros(2, F32))
    total = add(c, state, c.input("x", floats(2)))
    c.keep(state, total)
    graph = c.build({c.reserve("y"): total})
    assert [kept.next.name for kept in graph.states] == ["y"]


def test_empty_tensors_are_known_and_left_out_of_concatenations() -> None:
    c = Composer("g")
    x = c.input("x", floats(2, 3))
    empty = slice_(c, c.known(np.zeros((2, 3), F32)), [0, 0], [2, 0], [1, 1])
    assert empty.shape == (2, 0)
    assert concat(c, [empty, x], 1).value == x.value
    with pytest.raises(UnsupportedError, match="expected a slice with elements"):
        slice_(c, x, [0, 0], [2, 0], [1, 1])


def test_a_reshape_keeps_the_number_of_elements() -> None:
    c = Composer("g")
    with pytest.raises(UnsupportedError, match=r"expected a shape of 6 elements, got \[4\]"):
        reshape(c, c.input("x", floats(2, 3)), (4,))


def test_select_of_known_tensors_is_known() -> None:
    c = Composer("g")
    chosen = where(c, *(c.known(np.array(each)) for each in ([True, False], [1, 2], [3, 4])))
    assert chosen.array is not None
    assert chosen.array.tolist() == [1, 4]
