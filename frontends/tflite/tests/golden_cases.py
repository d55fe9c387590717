"""Models of one operator each, over many parameters, with inputs; made anew from fixed seeds.

tools/make_goldens.py runs them on TFLite's reference kernels and stores the outputs;
test_goldens.py imports them and compares the evaluator's outputs with the stored ones.
Random numbers come from RandomState, whose stream numpy has frozen.
"""

import itertools
import zlib
from collections.abc import Callable, Iterator, Sequence

import cases_control
import cases_counting
import cases_detections
import cases_elements
import cases_functions
import cases_hybrid
import cases_int4
import cases_logic
import cases_moves
import cases_narrow
import cases_normalization
import cases_powers
import cases_products
import cases_ranking
import cases_recurrent
import cases_reductions
import cases_slices
import cases_types
import cases_unsigned
import cases_volumes
import cases_windows
from case_builder import KINDS, Case, CaseBuilder, Kind
from cases_unsigned import UnsignedCaseBuilder

Family = Callable[[CaseBuilder, Kind, int], Case | None]


def all_cases() -> Iterator[Case]:
    """Every case, in a fixed order."""
    for count, make in _FAMILIES:
        for index in range(count):
            for kind in KINDS:
                name = f"{make.__name__.strip('_')}_{kind.lower()}_{index}"
                case = make(CaseBuilder(name), kind, index)
                if case is not None:
                    yield case
    for count, make in _PLAIN_FAMILIES:
        for index in range(count):
            name = f"{make.__name__}_plain_{index}"
            case = make(CaseBuilder(name), "FLOAT32", index)
            if case is not None:
                yield case
    for count, make in _UNSIGNED_FAMILIES:
        for index in range(count):
            name = f"{make.__name__.strip('_')}_uint8_{index}"
            case = make(UnsignedCaseBuilder(name), "INT8", index)
            if case is not None:
                yield case


def random_cases() -> Iterator[tuple[str, Case]]:
    """Endless others of the same families in turn, with element types; shapes are drawn where families have theirs.

    Names begin as those of `all_cases`.
    """
    for number in itertools.count():
        for count, make in _FAMILIES:
            for kind in KINDS:
                yield from _random(number, count, make, kind, kind.lower(), CaseBuilder)
        for count, make in _PLAIN_FAMILIES:
            yield from _random(number, count, make, "FLOAT32", "plain", CaseBuilder)
        for count, make in _UNSIGNED_FAMILIES:
            yield from _random(number, count, make, "INT8", "uint8", UnsignedCaseBuilder)


def _random(
    number: int, count: int, make: Family, kind: Kind, type_: str, builder: type[CaseBuilder]
) -> Iterator[tuple[str, Case]]:
    name = f"{make.__name__.strip('_')}_{type_}"
    index = zlib.crc32(f"{name} {number}".encode()) % count
    b = builder(f"{name}_{index}_{number}")
    b.is_varied = True
    case = make(b, kind, index)
    if case is not None:
        yield type_, case


_FAMILIES: Sequence[tuple[int, Family]] = (
    (24, cases_windows.conv2d),
    (24, cases_windows.depthwise_conv2d),
    (12, cases_windows.fully_connected),
    (10, cases_elements.add),
    (10, cases_elements.sub),
    (10, cases_elements.mul),
    (5, cases_elements.minimum),
    (5, cases_elements.maximum),
    (12, cases_windows.average_pool2d),
    (12, cases_windows.max_pool2d),
    (16, cases_elements.mean),
    (12, cases_elements.softmax),
    (4, cases_elements.reshape),
    (6, cases_elements.pad),
    (4, cases_elements.transpose),
    (6, cases_elements.concatenation),
    (6, cases_elements.relu),
    (4, cases_elements.quantize),
    (3, cases_elements.requantize_between_widths),
    (2, cases_elements.dequantize),
    (4, cases_slices.slice_),
    (cases_slices.STRIDED_SLICES, cases_slices.strided_slice),
    (3, cases_slices.split),
    (3, cases_slices.split_v),
    (3, cases_slices.unpack),
    (6, cases_elements.logistic),
    (6, cases_elements.tanh),
    (4, cases_functions.leaky_relu),
    (6, cases_functions.hard_swish),
    (5, cases_functions.prelu),
    (4, cases_functions.relu_to_1),
    (12, cases_windows.transpose_conv),
    (6, cases_windows.transpose_conv_computed),
    (3, cases_moves.pack),
    (5, cases_moves.gather),
    (3, cases_moves.gather_nd),
    (5, cases_moves.gather_nd_computed),
    (2, cases_moves.embedding_lookup),
    (6, cases_moves.resize_nearest_neighbor),
    (3, cases_moves.reverse_v2),
    (3, cases_moves.tile),
    (4, cases_moves.broadcast_to),
    (4, cases_moves.mirror_pad),
    (3, cases_moves.space_to_depth),
    (3, cases_moves.depth_to_space),
    (4, cases_moves.space_to_batch_nd),
    (4, cases_moves.batch_to_space_nd),
    (2, cases_moves.fill),
    (1, cases_moves.zeros_like),
    (4, cases_functions.abs_),
    (4, cases_functions.exp),
    (3, cases_functions.elu),
    (3, cases_functions.rsqrt),
    (16, cases_functions.of_floats),
    (3, cases_functions.gelu),
    (3, cases_functions.gelu_by_tanh),
    (4, cases_functions.squared_difference),
    (4, cases_functions.div),
    (2, cases_functions.add_n),
    (6, cases_reductions.sum_),
    (4, cases_reductions.reduce_max),
    (4, cases_reductions.reduce_min),
    (3, cases_reductions.reduce_any),
    (3, cases_reductions.reduce_all),
    (4, cases_reductions.arg_max),
    (4, cases_reductions.arg_min),
    (6, cases_reductions.resize_bilinear),
    (12, cases_logic.comparison),
    (4, cases_logic.logical),
    (3, cases_logic.select),
    (4, cases_logic.select_v2),
    (6, cases_control.while_),
    (2, cases_control.while_in_while),
    (4, cases_control.rows),
    (6, cases_control.if_),
    (8, cases_recurrent.svdf),
    (12, cases_recurrent.unidirectional_sequence_lstm),
    (4, cases_recurrent.bidirectional_sequence_lstm),
    (6, cases_recurrent.projected_lstm),
    (4, cases_normalization.log_softmax),
    (4, cases_normalization.l2_normalization),
    (4, cases_reductions.arg_max_int64),
    (12, cases_products.batch_matmul),
    (5, cases_moves.gather_batches),
    (6, cases_counting.division),
    (8, cases_counting.cumsum),
    (5, cases_counting.one_hot),
    (8, cases_counting.trigonometry),
    (5, cases_windows.l2_pool2d),
    (12, cases_powers.power),
    (12, cases_powers.power_computed),
    (4, cases_powers.local_response_normalization),
    (6, cases_ranking.topk_v2),
    (6, cases_ranking.reduce_prod),
    (6, cases_ranking.scatter_nd),
    (3, cases_ranking.reverse_sequence),
)

_PLAIN_FAMILIES: Sequence[tuple[int, Family]] = (
    (cases_types.CASTS, cases_types.cast),
    (10, cases_types.arithmetic_of_int32),
    (3, cases_types.float16_weights),
    (3, cases_types.quantize_wide),
    (4, cases_elements.softmax_wide),
    (2, cases_types.quantize_shifted),
    (24, cases_detections.detections),
    (4, cases_types.moved_integers),
    (12, cases_hybrid.hybrid_fully_connected),
    (9, cases_hybrid.hybrid_conv2d),
    (6, cases_hybrid.hybrid_depthwise_conv2d),
    (9, cases_int4.conv2d_int4),
    (6, cases_int4.depthwise_conv2d_int4),
    (6, cases_int4.fully_connected_int4),
    (4, cases_ranking.div_int32),
    (6, cases_ranking.arithmetic_of_int64),
    (6, cases_narrow.conv2d_narrow),
    (4, cases_narrow.fully_connected_narrow),
    (12, cases_volumes.conv3d),
    (12, cases_narrow.transpose_conv_narrow),
)
"""Of element types that no kind is for."""

_UNSIGNED_FAMILIES: Sequence[tuple[int, Family]] = (
    (8, cases_windows.conv2d),
    (8, cases_windows.depthwise_conv2d),
    (6, cases_windows.fully_connected),
    (4, cases_elements.add),
    (4, cases_elements.sub),
    (4, cases_elements.mul),
    (1, cases_elements.minimum),
    (1, cases_elements.maximum),
    (6, cases_windows.average_pool2d),
    (3, cases_windows.max_pool2d),
    (6, cases_elements.mean),
    (4, cases_elements.softmax),
    (2, cases_elements.reshape),
    (6, cases_elements.pad),
    (2, cases_elements.transpose),
    (2, cases_elements.concatenation),
    (3, cases_elements.relu),
    (3, cases_elements.logistic),
    (3, cases_elements.tanh),
    (2, cases_elements.quantize),
    (2, cases_elements.dequantize),
    (9, cases_unsigned.quantize_bytes),
    (6, cases_unsigned.concatenate_scales),
    (2, cases_slices.slice_),
    (4, cases_slices.strided_slice),
    (2, cases_slices.split),
    (1, cases_slices.split_v),
    (1, cases_slices.unpack),
    (2, cases_moves.pack),
    (2, cases_moves.gather),
    (2, cases_moves.resize_nearest_neighbor),
    (1, cases_moves.reverse_v2),
    (1, cases_moves.tile),
    (1, cases_moves.mirror_pad),
    (1, cases_moves.space_to_depth),
    (1, cases_moves.depth_to_space),
    (2, cases_moves.space_to_batch_nd),
    (2, cases_moves.batch_to_space_nd),
    (3, cases_functions.leaky_relu),
    (3, cases_functions.hard_swish),
    (3, cases_functions.prelu),
    (2, cases_functions.relu_to_1),
    (2, cases_reductions.reduce_max),
    (2, cases_reductions.arg_max),
    (3, cases_logic.comparison),
    (2, cases_logic.select),
    (4, cases_normalization.log_softmax),
    (6, cases_reductions.resize_bilinear),
    (3, cases_functions.gelu),
    (3, cases_functions.gelu_by_tanh),
    (6, cases_windows.transpose_conv),
    (6, cases_windows.transpose_conv_computed),
    (4, cases_ranking.topk_v2),
)
"""Of int8 cases, those that are there as uint8, too."""
