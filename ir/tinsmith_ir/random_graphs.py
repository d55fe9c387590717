"""Small random networks for property tests: every operator, odd shapes, real-looking scales."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from tinsmith_ir.dtypes import DType
from tinsmith_ir.graph import Graph, Value
from tinsmith_ir.operators import Dequantize, Quantize
from tinsmith_ir.random_steps import (
    borders,
    choices,
    codes,
    counting,
    detections,
    elements,
    few_bits,
    functions,
    hybrid,
    integers,
    layers,
    memories,
    moves,
    poses,
    products,
    ranking,
    reductions,
    rows,
    smooth,
    sums,
    tables,
    volumes,
)
from tinsmith_ir.random_steps.network import Network
from tinsmith_ir.rounding import Rounding
from tinsmith_ir.types import TensorType

_IMAGE_STEPS = (
    layers.convolution,
    layers.convolution,
    layers.convolution,
    layers.depthwise,
    layers.depthwise,
    layers.pool,
    layers.mean,
    moves.pad,
)
_ANY_STEPS = (
    elements.binary,
    elements.binary,
    elements.binary_with_constant,
    elements.clamp,
    moves.concat,
    elements.extremum,
    elements.requantize,
    moves.reshape,
    moves.transpose,
    elements.softmax,
    layers.fully_connected,
)


@dataclass(frozen=True)
class _Family:
    """Steps that some networks have; the others, and all that is drawn elsewhere, are as if there were none.

    stream: of numbers, which only these steps draw from. networks: the share of those that have them.
    likelihood: of such a step. steps: one of them is drawn. goes_on: whether another step follows at once.
    """

    stream: int
    networks: float
    likelihood: float
    steps: tuple[Callable[[Network, np.random.Generator, Value], None], ...]
    goes_on: bool = False


_FAMILIES = (
    _Family(2, 0.25, 0.25, (moves.slice_,)),
    _Family(5, 0.25, 0.15, (elements.cast,)),
    _Family(3, 0.25, 0.25, (functions.curve,)),
    _Family(40, 0.4, 0.5, (functions.function,), goes_on=True),
    _Family(4, 0.25, 0.25, (moves.gather, moves.broadcast)),
    _Family(
        50,
        0.25,
        0.4,
        (
            reductions.sum_,
            reductions.reduce,
            reductions.reduce,
            reductions.arg,
            reductions.arg,
            reductions.resize,
        ),
    ),
    _Family(6, 0.25, 0.3, (choices.choose,)),
    _Family(70, 0.25, 0.3, (memories.filters_over_time, memories.cells), goes_on=True),
    _Family(80, 0.25, 0.3, (hybrid.weighted,)),
    _Family(72, 0.2, 0.25, (counting.count,)),
    _Family(71, 0.2, 0.25, (products.similarity,)),
    _Family(73, 0.25, 0.35, (rows.normalize, rows.standardize)),
    _Family(74, 0.1, 0.3, (detections.detect,), goes_on=True),
    _Family(76, 0.1, 0.3, (poses.pose,), goes_on=True),
    _Family(77, 0.2, 0.25, (few_bits.four_bits,)),
    _Family(75, 0.25, 0.3, (ranking.rank,)),
    _Family(78, 0.25, 0.3, (volumes.convolve,)),
    _Family(81, 0.25, 0.25, (integers.integer,)),
    _Family(82, 0.2, 0.25, (tables.look_up,)),
    _Family(83, 0.2, 0.3, (sums.average,)),
    _Family(84, 0.1, 0.3, (codes.decompressed,)),
    _Family(79, 0.4, 0.4, (smooth.smooth,), goes_on=True),
    _Family(85, 0.15, 0.25, (few_bits.two_bits,)),
    _Family(86, 0.15, 0.25, (few_bits.blockwise,)),
)


def random_graph(
    seed: int,
    *,
    dtype: DType | None = None,
    nodes: int = 8,
    roundings: Sequence[Rounding] | None = None,
) -> Graph:
    """A valid network of about `nodes` nodes, the same for the same arguments.

    dtype: of its activations, INT8, INT16 or FLOAT32; the seed chooses INT8 or FLOAT32 if None. An
    int8 network may take and give float32. Results that no node reads are the outputs. roundings: that
    its steps are drawn from; if None, every second network is TFLite's, the others have all.
    """
    drawn = (Rounding.TFLITE,) if seed % 2 == 0 else tuple(Rounding)
    network = Network(seed, dtype, drawn if roundings is None else roundings)
    families = [_Grown(family, seed) for family in _FAMILIES]
    _begin(network)
    for _ in range(nodes):
        _grow(network, families)
    return _end(network)


class _Grown:
    """A family in one network."""

    def __init__(self, family: _Family, seed: int) -> None:
        self._family = family
        self._random = np.random.default_rng([seed, family.stream])
        self._is_there = self._random.random() < family.networks

    def has_grown(self, network: Network, value: Value) -> bool:
        """Whether its turn came, and no other step is to follow."""
        family = self._family
        if not self._is_there or self._random.random() >= family.likelihood:
            return False
        count = len(family.steps)
        step = family.steps[int(self._random.integers(count)) if count > 1 else 0]
        step(network, self._random, value)
        return not family.goes_on


def _begin(network: Network) -> None:
    """The input, of float32, uint8 or the network's own type."""
    shape = (1, network.pick(3, 9), network.pick(3, 9), network.pick(1, 6))
    if network.takes_real:
        real = network.builder.input("x", TensorType(shape, DType.FLOAT32))
        halves_to_even = bool(network.border.random() < 0.5)
        operator = Quantize(network.dtype, halves_to_even)
        network.add(operator, [real], network.quantization(0.02))
        return
    near = 0.0001 if network.dtype is DType.INT16 else 0.02
    type_ = TensorType(shape, network.dtype, network.quantization(near))
    first = borders.begin(network, type_) if network.is_unsigned else None
    network.values.append(first or network.builder.input("x", type_))


def _end(network: Network) -> Graph:
    """The graph; one that takes float32 or uint8 also gives it."""
    outputs = [value for value in network.values if value.name not in network.read]
    if network.takes_real:
        outputs = [network.builder.add(Dequantize(), [value]) for value in outputs]
    if network.is_unsigned:
        outputs = [borders.end(network, value) for value in outputs]
    return network.builder.build(outputs)


def _grow(network: Network, families: Sequence[_Grown]) -> None:
    """One more node, or none when the step drawn does not suit the value."""
    near = min(network.pick(1, 3), network.pick(1, 3), len(network.values))
    value = network.values[-near]
    slices, *others = families
    if slices.has_grown(network, value):
        return
    if network.is_unsigned and network.border.random() < 0.1:
        borders.float_rescale(network, value)
        return
    if any(family.has_grown(network, value) for family in others):
        return
    is_image = len(value.type.shape) == 4
    steps = _ANY_STEPS + (_IMAGE_STEPS * 2 if is_image else ())
    steps[network.pick(0, len(steps) - 1)](network, value)
