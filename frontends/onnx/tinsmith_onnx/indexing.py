"""Rules of operators that take or put elements by indices, rank them, or sum up what lies in front."""

from collections.abc import Mapping, Sequence

import numpy as np
from tinsmith_ir.graph import Array
from tinsmith_tensors import Tensor, indexing, movement, scans, scattering
from tinsmith_tensors import elementwise as ew
from tinsmith_tensors.determinants import determinant
from tinsmith_tensors.scattering import Combine

from tinsmith_onnx.context import OperatorContext
from tinsmith_onnx.rules import Rule


def gather(context: OperatorContext) -> Tensor:
    """Gather: by known or computed indices."""
    x = context.tensor(0)
    axis = context.axis(context.integer("axis"), x.rank)
    return indexing.gather(context.c, x, context.tensor(1), axis)


def gather_elements(context: OperatorContext) -> Tensor:
    """GatherElements."""
    x = context.tensor(0)
    axis = context.axis(context.integer("axis"), x.rank)
    return indexing.gather_elements(context.c, x, context.tensor(1), axis)


def gather_nd(context: OperatorContext) -> Tensor:
    """GatherND."""
    batches = context.integer("batch_dims", 0)
    return indexing.gather_nd(context.c, context.tensor(0), context.tensor(1), batches)


def scatter_elements(context: OperatorContext) -> Tensor:
    """ScatterElements, and Scatter as it was called before version 11."""
    x, indices, updates = (context.tensor(position) for position in range(3))
    axis = context.axis(context.integer("axis"), x.rank)
    return scattering.scatter_elements(context.c, x, indices, updates, axis, _combine(context))


def scatter_nd(context: OperatorContext) -> Tensor:
    """ScatterND."""
    x, indices, updates = (context.tensor(position) for position in range(3))
    return scattering.scatter_nd(context.c, x, indices, updates, _combine(context))


def _combine(context: OperatorContext) -> Combine:
    said = context.text("reduction", "none")
    try:
        return Combine(said)
    except ValueError:
        names = ", ".join(each.value for each in Combine)
        raise context.error(f"expected a reduction among {names}, got {said!r}") from None


def tensor_scatter(context: OperatorContext) -> Tensor:
    """TensorScatter: updates of a cache, from an index on of each batch."""
    x = context.tensor(0)
    mode = context.text("mode")
    if mode not in ("linear", "circular"):
        raise context.error(f"expected mode linear or circular, got {mode!r}")
    return scattering.scatter_windows(
        context.c,
        x,
        context.tensor(1),
        context.optional(2),
        context.axis(context.integer("axis"), x.rank),
        is_circular=mode == "circular",
    )


def one_hot(context: OperatorContext) -> Tensor:
    """OneHot: values are off and on."""
    c, indices, values = context.c, context.tensor(0), context.tensor(2)
    depth, axis = int(context.number_of(1)), context.axis(context.integer("axis"), indices.rank + 1)
    if depth < 1 or values.shape != (2,):
        raise context.error(
            f"expected a depth from 1 on and two values, got {depth} and {list(values.shape)}"
        )
    off, on = (movement.part(c, values, 0, index, index + 1) for index in range(2))
    return indexing.one_hot(c, indices, depth, on, off, axis)


def top_k(context: OperatorContext) -> Sequence[Tensor]:
    """TopK: values, and where they are."""
    c, x = context.c, context.tensor(0)
    count = context.integer("k") if context.version < 10 else int(context.number_of(1))
    axis = context.axis(context.integer("axis"), x.rank)
    is_largest = bool(context.integer("largest", 1))
    values, indices = scans.top_k(c, x, count, axis, largest=is_largest)
    return values, ew.cast(c, indices, np.dtype("<i8"))


def cumulate(context: OperatorContext) -> Tensor:
    """CumSum and CumProd."""
    x = context.tensor(0)
    axis = context.axis(int(context.number_of(1)), x.rank)
    scan = scans.cumsum if context.node.op_type == "CumSum" else scans.cumprod
    exclusive, reverse = bool(context.integer("exclusive")), bool(context.integer("reverse"))
    return scan(context.c, x, axis, exclusive=exclusive, reverse=reverse)


def reverse_sequence(context: OperatorContext) -> Tensor:
    """ReverseSequence."""
    x = context.tensor(0)
    time, batch = (
        context.axis(context.integer(name), x.rank) for name in ("time_axis", "batch_axis")
    )
    return indexing.reverse_sequences(context.c, x, context.tensor(1), time, batch)


def tile(context: OperatorContext) -> Tensor:
    """Tile."""
    return movement.tile(context.c, context.tensor(0), context.integers_of(1))


def trilu(context: OperatorContext) -> Tensor:
    """Trilu: the upper or the lower triangle."""
    diagonal = int(context.number_of(1)) if context.has(1) else 0
    x = context.tensor(0)
    if x.rank < 2:
        raise context.error(f"expected matrices, got shape {list(x.shape)}")
    return indexing.triangle(context.c, x, diagonal, upper=bool(context.integer("upper")))


def compress(context: OperatorContext) -> Tensor:
    """Compress: by a condition that is known, since it says how many elements there are."""
    axis = context.integer("axis") if context.has_attribute("axis") else None
    return indexing.compress(context.c, context.tensor(0), context.known(1), axis)


def non_zero(context: OperatorContext) -> Tensor:
    """NonZero of a known tensor, since its elements say how many there are."""
    array = context.known(0)
    if array.ndim == 0:  # of no axes there are no rows, but as many columns as elements
        return context.c.known(np.empty((0, int(bool(array))), np.int64))
    context.c.check_known_size((array.ndim, int(np.count_nonzero(array))))
    return context.c.known(np.array(np.nonzero(array), np.int64))


def unique(context: OperatorContext) -> Sequence[Tensor]:
    """Unique of a known tensor: its different elements, or slices along an axis, and where and how often they are."""
    array = context.known(0)
    context.c.check_known_size(array.shape)
    along = 0
    if context.has_attribute("axis"):
        along = context.axis(context.integer("axis"), array.ndim)
    else:
        array = array.reshape(-1)
    found, first, inverse, counts = np.unique(
        array, return_index=True, return_inverse=True, return_counts=True, axis=along
    )
    inverse = inverse.reshape(-1)
    if not context.integer("sorted"):
        order = np.argsort(first)
        places = np.argsort(order)
        found, first, counts = np.take(found, order, along), first[order], counts[order]
        inverse = places[inverse]
    known = context.c.known
    return known(found), *(known(each.astype(np.int64)) for each in (first, inverse, counts))


def array_feature_extractor(context: OperatorContext) -> Tensor:
    """ai.onnx.ml.ArrayFeatureExtractor: columns of the last axis; a row of elements is a matrix."""
    c, x, indices = context.c, context.tensor(0), context.tensor(1)
    found = indexing.gather(c, x, movement.reshape(c, indices, [indices.elements]), x.rank - 1)
    return movement.unsqueeze(c, found, [0]) if x.rank == 1 else found


def binarizer(context: OperatorContext) -> Tensor:
    """ai.onnx.ml.Binarizer: 1 above a threshold, else 0."""
    c, x = context.c, context.tensor(0)
    limit = c.number(context.real("threshold"), x)
    return ew.cast(c, ew.less(c, limit, x), x.dtype)


def label_encoder(context: OperatorContext) -> Tensor:
    """ai.onnx.ml.LabelEncoder: from numbers to numbers."""
    x = context.tensor(0)
    keys, values = _listed(context, "keys"), _listed(context, "values")
    if keys.size != values.size or keys.size == 0:
        raise context.error(f"expected as many keys as values, got {keys.size} and {values.size}")
    if context.has_attribute("default_tensor"):
        default = context.array("default_tensor")
    elif values.dtype.kind == "f":
        default = np.array(context.real("default_float"), np.float32)
    else:
        default = np.array(context.integer("default_int64"), np.int64)
    return indexing.look_up(context.c, x, keys.reshape(-1).tolist(), values.reshape(-1), default)


def _listed(context: OperatorContext, name: str) -> Array:
    """Keys or values, in whichever attribute they are."""
    if context.has_attribute(f"{name}_tensor"):
        found = context.array(f"{name}_tensor")
    elif context.has_attribute(f"{name}_floats"):
        found = np.array(context.reals(f"{name}_floats"), np.float32)
    else:
        found = np.array(context.integers(f"{name}_int64s", ()), np.int64)
    if found.dtype.kind not in "fiu" or context.has_attribute(f"{name}_strings"):
        raise context.unsupported(f"expected {name} that are numbers, got strings")
    return found


RULES: Mapping[str, Rule] = {
    "Compress": Rule(compress, "of a known condition"),
    "CumProd": Rule(cumulate),
    "CumSum": Rule(cumulate),
    "Det": Rule(
        lambda context: determinant(context.c, context.tensor(0)),
        "of at most 4 rows, if they are computed",
    ),
    "Gather": Rule(gather),
    "GatherElements": Rule(gather_elements),
    "GatherND": Rule(gather_nd),
    "NonZero": Rule(non_zero, "of known tensors"),
    "OneHot": Rule(one_hot),
    "ReverseSequence": Rule(reverse_sequence),
    "Scatter": Rule(scatter_elements),
    "ScatterElements": Rule(scatter_elements),
    "ScatterND": Rule(scatter_nd),
    "TensorScatter": Rule(tensor_scatter),
    "Tile": Rule(tile),
    "TopK": Rule(top_k, "of elements of at most 32 bits, if they are computed"),
    "Trilu": Rule(trilu),
    "Unique": Rule(unique, "of known tensors"),
    "ai.onnx.ml.ArrayFeatureExtractor": Rule(array_feature_extractor),
    "ai.onnx.ml.Binarizer": Rule(binarizer),
    "ai.onnx.ml.LabelEncoder": Rule(label_encoder, "between numbers"),
}
