"""Which weights lie in the memory beside the accelerator, where there is none or too little of it."""

from dataclasses import replace

import numpy as np
import pytest
from tinsmith_ir import DoesNotFitError, Graph
from tinsmith_ir.operators import Conv2D
from tinsmith_ir.program import Option, Program
from tinsmith_ir.rounding import Rounding
from tinsmith_ir.testing import GraphBuilder
from tinsmith_ir.types import DType, Quantization, TensorType
from tinsmith_lowering import Kernel, check_memories, check_prepared, lower, prepare
from tinsmith_target import Memory, Target, target

_CHANNELS = 32
_OF_1X1, _OF_3X3 = 32 * _CHANNELS, 32 * 8 * 2 * _CHANNELS
"""Bytes of the weights of a layer of 32 channels to as many, of 1x1 and 3x3 windows."""
_FROM_WEIGHT_MEMORY = 1 << 9


def network(sides: tuple[int, ...]) -> Graph:
    """Convolutions with windows of these sides, 6x6 pixels of 32 channels each; weights differ."""
    builder = GraphBuilder("layers")
    type_ = TensorType((1, 6, 6, _CHANNELS), DType.INT8, Quantization.per_tensor(0.05, -3))
    value = builder.input("x", type_)
    for number, side in enumerate(sides):
        shape = (_CHANNELS, side, side, _CHANNELS)
        data = (np.arange(np.prod(shape)) % 5 + number).astype(np.int8).reshape(shape)
        weights = builder.constant(f"w{number}", data, Quantization.per_tensor(0.004, 0))
        biases = builder.constant(f"b{number}", np.full(_CHANNELS, 7, np.int32))
        margin = side // 2
        operator = Conv2D(
            padding=(margin, margin, margin, margin), rounding=Rounding.FLOOR, multiplier_bits=8
        )
        result = Quantization.per_tensor(0.05, -3)
        value = builder.add(operator, [value, weights, biases], f"y{number}", result)
    return builder.build(value)


def chip(size_bytes: int | None) -> Target:
    """Siracusa with so much of the memory, or without it."""
    found = target("siracusa")
    others = tuple(each for each in found.board.memories if each.name != "weights")
    own = () if size_bytes is None else (Memory("weights", 0x10400000, size_bytes, "flash"),)
    return replace(found, board=replace(found.board, memories=(*others, *own)))


def prepared(graph: Graph, chosen: Target, kernels: tuple[Kernel, ...]) -> Program:
    program = prepare(lower(graph, chosen, kernels), chosen, kernels)
    check_prepared(program, chosen, kernels)
    return program


def weights_beside(program: Program) -> list[bool]:
    """Of each call: its weights' memory, its option and the bit of its words say the same."""
    found: list[bool] = []
    for call in program.calls:
        read = {program.constant[name].layout: program.constant[name] for name in call.reads}
        is_beside = read["weights"].memory == "weights"
        words = read["job"].data.view(np.uint32)
        assert bool(words[23] & _FROM_WEIGHT_MEMORY) is is_beside
        assert call.options == (Option("weights", "beside" if is_beside else "near"),)
        assert {read["job"].memory, read["constants"].memory} == {""}
        found.append(is_beside)
    return found


@pytest.mark.parametrize(
    ("size_bytes", "expected"),
    [
        (1 << 22, [True, True, True]),
        (2 * _OF_1X1 + _OF_3X3, [True, True, True]),
        # 3x3 windows take twice the cycles of 1x1, and sixteen times the bytes.
        (2 * _OF_1X1 + _OF_3X3 - 1, [True, True, False]),
        (2 * _OF_1X1 - 1, [True, False, False]),
        (_OF_1X1 - 1, [False, False, False]),
        (None, [False, False, False]),
    ],
)
def test_weights_that_are_read_for_few_cycles_stay_where_room_is_short(
    size_bytes: int | None, expected: list[bool], kernels: tuple[Kernel, ...]
) -> None:
    chosen = chip(size_bytes)
    program = prepared(network((1, 3, 1)), chosen, kernels)
    assert weights_beside(program) == expected
    check_memories(program, chosen)


def test_equal_weights_take_room_once(kernels: tuple[Kernel, ...]) -> None:
    graph = network((3,))
    builder = GraphBuilder("twice")
    (node,) = graph.nodes
    x, w, b = node.present_inputs
    value = builder.input("x", x.type)
    constants = [
        builder.constant(each.name, graph.constant_data[each.name], each.type.quantization)
        for each in (w, b)
    ]
    for name in ("a", "b"):
        value = builder.add(node.operator, [value, *constants], name, x.type.quantization)
    program = prepared(builder.build(value), chip(_OF_3X3), kernels)
    assert weights_beside(program) == [True, True]


def test_too_many_are_refused_with_the_largest(kernels: tuple[Kernel, ...]) -> None:
    program = prepared(network((1, 3)), chip(1 << 22), kernels)
    with pytest.raises(DoesNotFitError) as error:
        check_memories(program, chip(_OF_3X3))
    assert error.value.needed_bytes == _OF_1X1 + _OF_3X3
    assert error.value.available_bytes == _OF_3X3
    assert "constants in weights: needed 17,408 bytes, available 16,384 bytes" in str(error.value)
    assert "the largest: y1.weights 16,384, y0.weights 1,024" in str(error.value)
