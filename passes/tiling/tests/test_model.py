"""Problems that say something impossible are refused at once."""

from typing import Any

import pytest
from tinsmith_ir import ArgumentError
from tinsmith_tiling import (
    Layer,
    Memory,
    Problem,
    Staging,
    Tensor,
    TilingError,
    Way,
    check,
    solve,
    solve_greedy,
)

L1 = Memory("L1", 64)
X, Y = Tensor("x", 8, (0,)), Tensor("y", 8, (0,))
WAY = Way("w", 1)
A = Layer("a", ("x",), ("y",), (WAY,))


@pytest.mark.parametrize(
    ("make", "arguments", "message"),
    [
        (Memory, ("L1", 64, 3), "memory L1: expected a power of two as alignment, got 3"),
        (Memory, ("L1", 66), "a multiple of its alignment 4, got 66"),
        (Memory, ("L1", 0), "expected 1 to"),
        (Tensor, ("x", 0, (0,)), "tensor x: expected 1 to .* bytes, got 0"),
        (Tensor, ("x", 8, ()), r"expected one or more memories as homes, each once, got \(\)"),
        (Tensor, ("x", 8, (0, 0)), "each once"),
        (Tensor, ("x", 8, (-1,)), "as homes"),
        (Staging, ("x", 8, 3, 1), "staging of x: expected 1 or 2 slots, got 3"),
        (Staging, ("x", 0, 1, 1), "bytes in a slot, got 0"),
        (Staging, ("x", 8, 1, -1), "cycles, got -1"),
        (Staging, ("x", 8, 1, ()), "expected cycles for memory 1"),
        (Way, ("w", -1), "way w: expected 0 to .* cycles, got -1"),
        (Way, ("w", 1, 0, (), (), 8, 2, 10, 11), "expected the first constants to take 0 to 10"),
        (Way, ("w", 1, 0, (), (), 0, 1, 10), "of which there are no bytes"),
        (Layer, ("a", ("x",), ("y",), ()), "layer a: expected a way"),
        (
            Layer,
            ("a", ("x",), ("y",), (Way("w", 1, operands=(Staging("y", 8, 1, 1),)),)),
            r"layer a, way w: expected the staging of each operand once, of \('x',\), got \['y'\]",
        ),
        (
            Layer,
            ("a", ("x",), ("y",), (Way("w", 1, needs_far=frozenset({"z"})),)),
            r"expected needs of the layer's tensors, each near or far, got near \[\] and far \['z'\]",
        ),
        (Problem, ((), (), ()), "expected one or more memories"),
        (Problem, ((L1, L1), (), ()), "two of the name L1"),
        (Problem, ((L1,), (X, X), ()), "two of the name x"),
        (Problem, ((L1,), (X, Y), (A, A)), "two of the name a"),
        (Problem, ((L1,), (X, Y, Tensor("a.scratch", 1, (0,))), (A,)), "the name a.scratch"),
        (Problem, ((L1,), (X, Tensor("y", 8, (1,))), (A,)), r"tensor y: expected homes below 1"),
        (Problem, ((L1,), (X,), (A,)), "layer a: there is no tensor y"),
        (Problem, ((L1,), (X, Y, Tensor("z", 1, (0,))), (A,)), "tensor z: no layer"),
        (
            Problem,
            ((L1,), (X, Y), (A, Layer("b", ("y",), ("x",), (WAY,)))),
            "layer b writes x: expected a tensor that neither it nor a layer before it",
        ),
    ],
)
def test_it_is_refused(make: Any, arguments: Any, message: str) -> None:
    with pytest.raises(TilingError, match=message):
        make(*arguments)


@pytest.mark.parametrize(
    ("make", "arguments", "message"),
    [
        (Memory, ("L1", "64"), "size_bytes"),
        (Tensor, ("x", 8, [0]), "homes"),
        (Staging, ("x", 8, 1, 1.5), "copy_cycles"),
        (Way, ("w", None), "compute_cycles"),
        (Layer, ("a", "x", ("y",), (WAY,)), "reads"),
        (Problem, (L1, (), ()), "memories"),
        (solve, ("problem",), "problem to be Problem"),
        (solve_greedy, (None,), "problem to be Problem"),
        (check, (Problem((L1,), (), ()), None), "plan to be Plan"),
    ],
)
def test_a_wrong_type_is_refused_at_once(make: Any, arguments: Any, message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        make(*arguments)


def test_sizes_are_rounded_up_to_the_alignment() -> None:
    assert [Memory("L1", 64, 8).aligned(size) for size in (0, 1, 8, 9)] == [0, 8, 8, 16]
