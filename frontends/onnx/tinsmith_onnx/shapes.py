"""Rules of operators that move elements, or say how many there are."""

import math
from collections.abc import Mapping, Sequence

import numpy as np
from tinsmith_tensors import Tensor, movement

from tinsmith_onnx.context import OperatorContext
from tinsmith_onnx.rules import Rule


def concat(context: OperatorContext) -> Tensor:
    """Concat."""
    parts = context.present()
    axis = context.axis(context.integer("axis"), parts[0].rank)
    return movement.concat(context.c, parts, axis)


def constant(context: OperatorContext) -> Tensor:
    """Constant, in whichever attribute."""
    if context.has_attribute("value"):
        return context.c.known(context.array("value"))
    if context.has_attribute("sparse_value"):
        return context.c.known(context.sparse_array("sparse_value"))
    for name, read, dtype in (
        ("value_int", context.integer, np.int64),
        ("value_float", context.real, np.float32),
        ("value_ints", context.integers, np.int64),
        ("value_floats", context.reals, np.float32),
    ):
        if context.has_attribute(name):
            return context.c.known(np.array(read(name), dtype))
    raise context.unsupported("expected a constant of numbers, got another")


def expand(context: OperatorContext) -> Tensor:
    """Expand: to a shape, with which x broadcasts in both directions."""
    x = context.tensor(0)
    shape = context.broadcast_shape(x.shape, context.integers_of(1))
    return movement.broadcast_to(context.c, x, shape)


def flatten(context: OperatorContext) -> Tensor:
    """Flatten: to a matrix."""
    x, axis = context.tensor(0), context.integer("axis")
    axis = axis + x.rank if axis < 0 else axis
    shape = (math.prod(x.shape[:axis]), math.prod(x.shape[axis:]))
    return movement.reshape(context.c, x, shape)


def reshape(context: OperatorContext) -> Tensor:
    """Reshape: 0 is the size that is there, -1 what is left."""
    x, wanted = context.tensor(0), context.integers_of(1)
    keeps_zeros = bool(context.integer("allowzero", 0))
    shape = [
        x.shape[axis] if size == 0 and not keeps_zeros and axis < x.rank else size
        for axis, size in enumerate(wanted)
    ]
    if shape.count(-1) == 1:
        rest = math.prod(size for size in shape if size != -1)
        if rest == 0 or x.elements % rest:
            raise context.error(f"expected a shape of {x.elements} elements, got {list(wanted)}")
        shape[shape.index(-1)] = x.elements // rest
    return movement.reshape(context.c, x, shape)


def shape(context: OperatorContext) -> Tensor:
    """Shape, or the sizes of some axes."""
    x = context.tensor(0)
    end = context.integer("end", x.rank)
    return context.c.known(np.array(x.shape[context.integer("start", 0) : end], np.int64))


def size(context: OperatorContext) -> Tensor:
    """Size."""
    return context.c.known(np.array(context.tensor(0).elements, np.int64))


def slice_(context: OperatorContext) -> Tensor:
    """Slice: starts and ends are cut to what there is, and count from the end below 0."""
    x = context.tensor(0)
    if context.version < 10:
        starts, ends = context.integers("starts"), context.integers("ends")
        axes, steps = context.integers("axes", range(len(starts))), (1,) * len(starts)
    else:
        starts, ends = context.integers_of(1), context.integers_of(2)
        axes = context.integers_of(3) if context.has(3) else tuple(range(len(starts)))
        steps = context.integers_of(4) if context.has(4) else (1,) * len(starts)
    if not len(starts) == len(ends) == len(axes) == len(steps):
        raise context.error(
            f"expected as many starts, ends, axes and steps, got {starts}, {ends}, {axes} and {steps}"
        )
    begin, sizes, strides = [0] * x.rank, list(x.shape), [1] * x.rank
    for start, end, axis, step in zip(starts, ends, axes, steps, strict=True):
        if step == 0:
            raise context.error("expected steps other than 0")
        place = context.axis(axis, x.rank)
        walked = range(x.shape[place])[start:end:step]
        begin[place], sizes[place], strides[place] = walked.start, len(walked), step
    return movement.slice_(context.c, x, begin, sizes, strides)


def split(context: OperatorContext) -> Sequence[Tensor]:
    """Split: into given sizes, or into equal ones, of which the last may be smaller."""
    x = context.tensor(0)
    axis = context.axis(context.integer("axis"), x.rank)
    total, count = x.shape[axis], len(context.node.output)
    if context.has(1):
        sizes = context.integers_of(1)
    elif context.has_attribute("split"):
        sizes = context.integers("split")
    else:
        chunk = -(-total // count)
        sizes = tuple(max(min(chunk, total - chunk * index), 0) for index in range(count))
    if sum(sizes) != total or len(sizes) != count:
        raise context.error(f"expected {count} parts of {total} in all, got {list(sizes)}")
    ends = np.cumsum(sizes).tolist()
    return [
        movement.part(context.c, x, axis, end - size_, end)
        for size_, end in zip(sizes, ends, strict=True)
    ]


def squeeze(context: OperatorContext) -> Tensor:
    """Squeeze: the axes that are said, or all of length 1."""
    x, axes = context.tensor(0), context.axes(1)
    if axes is None:
        axes = tuple(axis for axis, size_ in enumerate(x.shape) if size_ == 1)
    return movement.squeeze(context.c, x, [context.axis(axis, x.rank) for axis in axes])


def transpose(context: OperatorContext) -> Tensor:
    """Transpose; all axes the other way round, if it does not say."""
    x = context.tensor(0)
    axes = context.integers("perm", tuple(reversed(range(x.rank))))
    if sorted(axes) != list(range(x.rank)):
        raise context.error(f"expected a permutation of {x.rank} axes, got {list(axes)}")
    return movement.transpose(context.c, x, axes)


def unsqueeze(context: OperatorContext) -> Tensor:
    """Unsqueeze."""
    x, axes = context.tensor(0), context.axes(1) or ()
    rank = x.rank + len(axes)
    return movement.unsqueeze(context.c, x, [context.axis(axis, rank) for axis in axes])


RULES: Mapping[str, Rule] = {
    "Concat": Rule(concat),
    "Constant": Rule(constant),
    "Expand": Rule(expand),
    "Flatten": Rule(flatten),
    "Identity": Rule(lambda t: t.item(0)),
    "Reshape": Rule(reshape),
    "Shape": Rule(shape),
    "Size": Rule(size),
    "Slice": Rule(slice_),
    "Split": Rule(split),
    "Squeeze": Rule(squeeze),
    "Transpose": Rule(transpose),
    "Unsqueeze": Rule(unsqueeze),
}
