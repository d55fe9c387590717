"""Variables, which become states."""

import numpy as np
import pytest
from fuzzing import damaged
from small_models import assert_refused
from tflite_builder import ModelBuilder, options
from tinsmith_ir.errors import ModelError, UnsupportedError
from tinsmith_ir.evaluate import evaluate_frames
from tinsmith_ir.types import Quantization
from tinsmith_tflite import import_tflite

SCALED = Quantization.per_tensor(0.5, 3)
FRAMES = [
    [np.array([1, 2], np.float32)],
    [np.array([10, 20], np.float32)],
    [np.zeros(2, np.float32)],
]


class Streaming:
    """A model with the variable "v" of two numbers, begun as `initial`, whose handle is `handle`."""

    def __init__(self, initial: list[float] | None = None, type_name: str = "FLOAT32") -> None:
        self.main = ModelBuilder()
        self.begin = ModelBuilder()
        self.type_name = type_name
        self.x = self.tensor("x")
        self.handle = self.main.tensor("handle", (), "RESOURCE")
        table = options("CallOnceOptions", InitSubgraphIndex=1)
        self.main.operator("CALL_ONCE", [], [], table)
        self.main.operator(
            "VAR_HANDLE", [], [self.handle], options("VarHandleOptions", SharedName="v")
        )
        if initial is not None:
            handle = self.begin.tensor("other", (), "RESOURCE")
            data = self.begin.constant("zeros", np.array(initial, np.float32))
            named = options("VarHandleOptions", SharedName="v")
            self.begin.operator("VAR_HANDLE", [], [handle], named)
            self.begin.operator("ASSIGN_VARIABLE", [handle, data], [])

    def tensor(self, name: str, quantization: Quantization | None = None) -> int:
        return self.main.tensor(name, (2,), self.type_name, quantization=quantization)

    def read(self, name: str, quantization: Quantization | None = None) -> int:
        found = self.tensor(name, quantization)
        self.main.operator("READ_VARIABLE", [self.handle], [found])
        return found

    def assign(self, value: int) -> None:
        self.main.operator("ASSIGN_VARIABLE", [self.handle, value], [])

    def add(self, name: str, first: int, second: int) -> int:
        result = self.tensor(name)
        self.main.operator("ADD", [first, second], [result], options("AddOptions"))
        return result

    def finish(self, *outputs: int) -> bytes:
        return self.main.finish([self.x], outputs, called=[self.begin])


def results(model: bytes) -> list[list[float]]:
    graph = import_tflite(model)
    (name,) = (value.name for value in graph.outputs)
    return [found[name].tolist() for found in evaluate_frames(graph, FRAMES)]


def summing() -> bytes:
    s = Streaming([100, 200])
    total = s.add("total", s.read("before"), s.x)
    s.assign(total)
    return s.finish(total)


def test_variable_becomes_a_state() -> None:
    graph = import_tflite(summing())
    (state,) = graph.states
    assert (state.value.name, state.next.name) == ("before", "total")
    assert state.initial.tolist() == [100, 200]
    assert [node.operator.mnemonic for node in graph.nodes] == ["add"]
    assert results(summing()) == [[101, 202], [111, 222], [111, 222]]


def test_what_is_read_behind_an_assignment_is_what_was_assigned() -> None:
    s = Streaming([100, 200])
    s.assign(s.add("sum", s.read("before"), s.x))
    assert results(s.finish(s.add("y", s.read("after"), s.x))) == [
        [102, 204],
        [121, 242],
        [111, 222],
    ]


def test_last_assignment_is_what_the_next_run_reads() -> None:
    s = Streaming([100, 200])
    before = s.read("before")
    s.assign(s.add("twice", before, before))
    s.assign(s.x)
    assert results(s.finish(s.add("y", before, s.x))) == [[101, 202], [11, 22], [10, 20]]


def test_variable_that_nothing_assigns_stays() -> None:
    s = Streaming([100, 200])
    assert results(s.finish(s.add("y", s.read("v"), s.x))) == [[101, 202], [110, 220], [100, 200]]


def test_variable_that_is_assigned_before_it_is_read_needs_no_state() -> None:
    s = Streaming()
    s.assign(s.x)
    model = s.finish(s.add("y", s.read("v"), s.x))
    assert import_tflite(model).states == ()
    assert results(model) == [[2, 4], [20, 40], [0, 0]]


def test_variable_that_is_read_before_anything_is_in_it() -> None:
    s = Streaming()
    model = s.finish(s.add("y", s.read("v"), s.x))
    assert_refused(
        ModelError, model, "variable 'v' to hold something, got one that no CALL_ONCE begins"
    )


def test_variable_of_another_type_than_it_begins_with() -> None:
    s = Streaming([1, 2, 3])
    model = s.finish(s.add("y", s.read("v"), s.x))
    assert_refused(
        ModelError, model, r"expected f32\[2\], got a variable that begins as tensor 1 'zeros'"
    )


def test_variable_of_several_scales() -> None:
    s = Streaming()
    y = s.main.tensor("y", (2,), "INT8", quantization=SCALED)
    q = s.main.tensor("q", (2,), "INT8", quantization=Quantization.per_tensor(0.25, 3))
    s.main.operator("QUANTIZE", [s.x], [q])
    s.assign(q)
    s.main.operator("READ_VARIABLE", [s.handle], [y])
    assert_refused(
        UnsupportedError,
        s.finish(y),
        r"hold one type, read as i8\[2\]<0.5, 3>, got i8\[2\]<0.25, 3>",
    )


def test_variable_that_changes_its_scale_from_run_to_run() -> None:
    s = Streaming()
    handle = s.begin.tensor("h", (), "RESOURCE")
    s.begin.operator("VAR_HANDLE", [], [handle], options("VarHandleOptions", SharedName="v"))
    data = s.begin.constant("zeros", np.zeros(2, np.int8), quantization=SCALED)
    s.begin.operator("ASSIGN_VARIABLE", [handle, data], [])
    y = s.main.tensor("y", (2,), "INT8", quantization=SCALED)
    s.main.operator("READ_VARIABLE", [s.handle], [y])
    q = s.main.tensor("q", (2,), "INT8", quantization=Quantization.per_tensor(0.25, 3))
    s.main.operator("QUANTIZE", [s.x], [q])
    s.assign(q)
    assert_refused(UnsupportedError, s.finish(y), "read as i8.*0.5, 3>, got i8.*0.25, 3>")


def test_beginning_that_computes() -> None:
    s = Streaming()
    x = s.begin.constant("x", np.zeros(2, np.float32))
    s.begin.operator("ABS", [x], [s.begin.tensor("y", (2,))])
    assert_refused(
        UnsupportedError,
        s.finish(s.x),
        "subgraph 1: operator 0 ABS: expected variables to begin as",
    )


def test_beginning_that_no_constant_gives() -> None:
    s = Streaming()
    handle = s.begin.tensor("h", (), "RESOURCE")
    s.begin.operator("VAR_HANDLE", [], [handle], options("VarHandleOptions", SharedName="v"))
    s.begin.operator("ASSIGN_VARIABLE", [handle, s.begin.tensor("data", (2,))], [])
    assert_refused(UnsupportedError, s.finish(s.x), "of which the file has 0 of 8 bytes")


@pytest.mark.parametrize("index", [0, 2, -1])
def test_beginning_that_is_not_there(index: int) -> None:
    b = ModelBuilder()
    x = b.tensor("x", (2,))
    b.operator("CALL_ONCE", [], [], options("CallOnceOptions", InitSubgraphIndex=index))
    model = b.finish([x], [x], called=[ModelBuilder()])
    assert_refused(ModelError, model, f"expected a subgraph from 1 to 1, got {index}")


def test_beginning_behind_a_read() -> None:
    s = Streaming([1, 2])
    y = s.add("y", s.read("v"), s.x)
    s.main.operator("CALL_ONCE", [], [], options("CallOnceOptions", InitSubgraphIndex=1))
    assert_refused(UnsupportedError, s.finish(y), "expected it before variables are read")


def test_variable_that_no_handle_gives() -> None:
    b = ModelBuilder()
    x = b.tensor("x", (2,))
    b.operator("ASSIGN_VARIABLE", [x, x], [])
    assert_refused(ModelError, b.finish([x], [x]), "that a VAR_HANDLE gives, got tensor 0")


def test_wrong_counts_and_versions() -> None:
    b = ModelBuilder()
    x = b.tensor("x", (2,))
    b.operator("VAR_HANDLE", [x], [x])
    assert_refused(ModelError, b.finish([x], [x]), "expected 0 inputs and 1 outputs, got 1 and 1")
    b = ModelBuilder()
    x = b.tensor("x", (2,))
    b.operator("CALL_ONCE", [], [], version=2)
    assert_refused(UnsupportedError, b.finish([x], [x]), "expected version 1, got 2")


def test_damaged_file_is_imported_or_refused() -> None:
    refused = 0
    for variant in damaged(summing(), 100, seed=1):
        try:
            import_tflite(variant)
        except (ModelError, UnsupportedError):
            refused += 1
    assert 0 < refused < 100
