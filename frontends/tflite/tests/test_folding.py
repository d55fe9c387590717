"""Shapes computed from shapes: integers that are known while importing leave no node behind."""

from collections.abc import Callable, Sequence

import numpy as np
import pytest
from small_models import assert_refused
from tflite_builder import ModelBuilder, Options, options
from tinsmith_ir.errors import ModelError, UnsupportedError
from tinsmith_ir.operators import Reshape
from tinsmith_tflite import import_tflite

PACK = options("PackOptions", ValuesCount=2)
CONCATENATION = options("ConcatenationOptions")


class _Shapes:
    """x (2, 3, 4), its shape, and what is computed from that."""

    def __init__(self, signature: Sequence[int] | None = None) -> None:
        self.model = ModelBuilder()
        self.x = self.model.tensor("x", (2, 3, 4), signature=signature)
        self.shape = self.result("SHAPE", [self.x], (3,), options("ShapeOptions", OutType=2))

    def result(
        self, kind: str, inputs: Sequence[int], shape: Sequence[int], chosen: Options | None
    ) -> int:
        output = self.model.tensor(f"{kind} result", shape, "INT32")
        self.model.operator(kind, inputs, [output], chosen)
        return output

    def ints(self, *elements: int) -> int:
        return self.model.constant("c", np.array(elements, np.int32))

    def scalar(self, element: int) -> int:
        return self.model.constant("c", np.array(element, np.int32))

    def part(self, begin: int, end: int, stride: int, size: int, **fields: int) -> int:
        """`size` sizes of x."""
        operands = [self.shape, self.ints(begin), self.ints(end), self.ints(stride)]
        return self.result(
            "STRIDED_SLICE", operands, (size,), options("StridedSliceOptions", **fields)
        )

    def size(self, begin: int, stride: int = 1, **fields: int) -> int:
        """A size of x."""
        operands = [self.shape, self.ints(begin), self.ints(begin + 1), self.ints(stride)]
        chosen = options("StridedSliceOptions", ShrinkAxisMask=1, **fields)
        return self.result("STRIDED_SLICE", operands, (), chosen)

    def pack(self, *scalars: int) -> int:
        return self.result("PACK", scalars, (len(scalars),), PACK)

    def reshaped(
        self, operand: int, shape: Sequence[int], signature: Sequence[int] | None = None
    ) -> bytes:
        y = self.model.tensor("y", shape, signature=signature)
        self.model.operator("RESHAPE", [self.x, operand], [y], options("ReshapeOptions"))
        return self.model.finish([self.x], [y])


def _product(s: _Shapes) -> int:
    product = s.result("REDUCE_PROD", [s.shape, s.ints(0)], (), options("ReducerOptions"))
    return s.result("EXPAND_DIMS", [product, s.scalar(0)], (1,), options("ExpandDimsOptions"))


def _sum(s: _Shapes) -> int:
    more = s.result("ADD", [s.shape, s.ints(1, 2, 3)], (3,), options("AddOptions"))
    return s.result("SUB", [more, s.ints(1, 2, 3)], (3,), options("SubOptions"))


def _squeezed(s: _Shapes) -> int:
    one = s.result("SQUEEZE", [s.part(0, 1, 1, 1)], (), options("SqueezeOptions"))
    again = s.result("RESHAPE", [one, s.ints(1)], (1,), options("ReshapeOptions"))
    return s.result("CONCATENATION", [again, s.ints(-1)], (2,), CONCATENATION)


def _rest(s: _Shapes) -> int:
    rest = s.result("SLICE", [s.shape, s.ints(1), s.ints(-1)], (2,), options("SliceOptions"))
    return s.result("CONCATENATION", [rest, s.ints(2)], (3,), CONCATENATION)


def _places(s: _Shapes) -> int:
    """6 where x has 3, elsewhere 2."""
    has_three = s.model.tensor("has three", (3,), "BOOL")
    s.model.operator("EQUAL", [s.shape, s.scalar(3)], [has_three], options("EqualOptions"))
    places = s.model.tensor("places", (1, 1), "INT64", signature=(-1, 1))
    s.model.operator("WHERE", [has_three], [places], options("WhereOptions"))
    operands = [places, s.ints(3), s.ints(6), s.scalar(2)]
    return s.result("SPARSE_TO_DENSE", operands, (3,), options("SparseToDenseOptions"))


def _outside(s: _Shapes) -> int:
    operands = [s.ints(3), s.ints(3), s.scalar(6), s.scalar(2)]
    return s.result("SPARSE_TO_DENSE", operands, (3,), options("SparseToDenseOptions"))


CHAINS: list[tuple[Callable[[_Shapes], int], tuple[int, ...]]] = [
    (lambda s: s.pack(s.size(0), s.scalar(12)), (2, 12)),
    (lambda s: s.pack(s.size(-1), s.scalar(-1)), (4, 6)),
    (lambda s: s.pack(s.size(1, BeginMask=1), s.scalar(-1)), (2, 12)),
    (lambda s: s.pack(s.size(0, -1, BeginMask=1), s.scalar(-1)), (4, 6)),
    (lambda s: s.part(0, 0, -1, 3, BeginMask=1, EndMask=1), (4, 3, 2)),
    (lambda s: s.part(-1, -4, -1, 3), (4, 3, 2)),
    (lambda s: s.part(-9, 9, 1, 3), (2, 3, 4)),
    (
        lambda s: s.result(
            "GATHER", [s.shape, s.ints(2, 0, 1)], (3,), options("GatherOptions", Axis=0)
        ),
        (4, 2, 3),
    ),
    (
        lambda s: s.pack(
            s.result("MUL", [s.size(0), s.size(1)], (), options("MulOptions")), s.size(2)
        ),
        (6, 4),
    ),
    (lambda s: s.result("CAST", [s.shape], (3,), options("CastOptions")), (2, 3, 4)),
    (_product, (24,)),
    (_sum, (2, 3, 4)),
    (_squeezed, (2, 12)),
    (_rest, (3, 4, 2)),
    (_places, (2, 6, 2)),
]


@pytest.mark.parametrize(("chain", "expected"), CHAINS)
def test_a_computed_shape_is_a_constant(
    chain: Callable[[_Shapes], int], expected: tuple[int, ...]
) -> None:
    shapes = _Shapes()
    graph = import_tflite(shapes.reshaped(chain(shapes), expected))
    assert [node.operator for node in graph.nodes] == [Reshape(shape=expected)]
    assert graph.constants == ()


def test_dimensions_that_the_file_leaves_open_follow_from_the_shape() -> None:
    shapes = _Shapes(signature=(-1, 3, 4))
    data = shapes.reshaped(shapes.pack(shapes.size(0), shapes.scalar(-1)), (1, 1), (-1, -1))
    assert import_tflite(data).outputs[0].type.shape == (2, 12)


def test_dimensions_that_the_file_fixes_must_be_right() -> None:
    shapes = _Shapes()
    data = shapes.reshaped(shapes.pack(shapes.size(0), shapes.scalar(-1)), (1, 11), (-1, 11))
    assert_refused(ModelError, data, r"a result f32\[2, 12\] .*, the file says f32\[1, 11\]")


def test_a_shape_may_be_a_graph_output() -> None:
    shapes = _Shapes()
    graph = import_tflite(shapes.model.finish([shapes.x], [shapes.shape]))
    assert graph.constant_data[graph.outputs[0].name].tolist() == [2, 3, 4]


def test_integers_of_the_input_are_not_known() -> None:
    b = ModelBuilder()
    x, s = b.tensor("x", (4,)), b.tensor("s", (2,), "INT32")
    two, y = b.tensor("two", (1,), "INT32"), b.tensor("y", (4,))
    b.operator("GATHER", [s, b.constant("c", np.array([0], np.int32))], [two], None)
    b.operator("RESHAPE", [x, two], [y])
    assert_refused(
        UnsupportedError,
        b.finish([x, s], [y]),
        "'two': expected a constant, got what is computed at run time",
    )


REFUSED: list[tuple[Callable[[_Shapes], int], type[Exception], str]] = [
    (lambda s: s.part(5, 6, 1, 1), ModelError, r"a result of shape \[0\], got \[1\]"),
    (lambda s: s.size(7), ModelError, "STRIDED_SLICE: expected operands that fit together"),
    (lambda s: s.part(0, 1, 0, 1), ModelError, "step cannot be zero"),
    (lambda s: s.part(0, 1, 1, 1, NewAxisMask=1), UnsupportedError, "no ellipsis, new axis"),
    (lambda s: s.pack(s.size(0), s.shape), ModelError, "PACK: expected operands that fit together"),
    (lambda s: s.result("MUL", [s.shape, s.ints(2**30)], (3,), None), ModelError, "within INT32"),
    (
        lambda s: s.result(
            "MUL",
            [s.shape, s.ints(2)],
            (3,),
            options("MulOptions", FusedActivationFunction=1),
        ),
        UnsupportedError,
        "no fused activation",
    ),
    (_outside, ModelError, "operands that fit together"),
]


@pytest.mark.parametrize(("make", "error", "message"), REFUSED)
def test_what_cannot_be_computed(
    make: Callable[[_Shapes], int], error: type[Exception], message: str
) -> None:
    shapes = _Shapes()
    assert_refused(error, shapes.reshaped(make(shapes), (24,)), message)
