"""SVDF and LSTM: layers with a memory that lasts from run to run."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from tinsmith_ir.dtypes import DType
from tinsmith_ir.graph import Value
from tinsmith_ir.operators import Activation, Concat, Lstm, Svdf, SvdfState
from tinsmith_ir.types import Quantization

from tinsmith_tflite import builtin
from tinsmith_tflite.context import Conversion, OperatorContext
from tinsmith_tflite.rules import FLOATS, NUMBERS, SMALL, Rule


def svdf(context: OperatorContext) -> Conversion:
    """SVDF: the memory one step later, and what the layer gives of it."""
    source = context.ranked_value(0, 2)
    is_float = source.type.dtype is DType.FLOAT32
    state = context.kept(4)
    features = context.weights(source, 2)
    over_time = context.weights(source, 2, 2) if is_float else context.ranked_value(2, 2)
    later = context.step(SvdfState(), (state, source, features))
    context.keep(4, later)
    # TFLite's integer kernel clamps to nothing but the type: the result's zero point says what a Relu would.
    activation = context.activation() if is_float else Activation.NONE
    bias = context.value(3) if context.has(3) else None
    return Svdf(context.options.integer("Rank"), activation), (later, over_time, bias)


def unidirectional_sequence_lstm(context: OperatorContext) -> Conversion:
    """UNIDIRECTIONAL_SEQUENCE_LSTM, with its states as variable tensors. int16 TFLite Micro has alone."""
    if any(context.has(position) for position in range(20, 24)):
        raise context.unsupported("expected no layer normalization in an LSTM, got one")
    source = context.ranked_value(0, 3)
    is_float = source.type.dtype is DType.FLOAT32
    name = builtin.activation_name(context.options.integer("FusedActivationFunction"))
    if is_float and name != "TANH":
        raise context.unsupported(f"expected an LSTM with TANH, got {name}")
    hidden = _hidden(context) if source.type.dtype is DType.INT8 else None
    # TFLite subtracts the zero point that the file says in front of a projection, and adds it elsewhere.
    sign = -1 if context.has(16) else 1
    operator = Lstm(
        time_major=context.options.boolean("TimeMajor"),
        cell_clip=context.options.real("CellClip"),
        projection_clip=context.options.real("ProjClip"),
        hidden_scale=0.0 if hidden is None else hidden.scale,
        hidden_zero_point=0 if hidden is None else sign * hidden.zero_point,
    )
    return _lstm(context, operator, source, _Places.unidirectional())


def bidirectional_sequence_lstm(context: OperatorContext) -> Conversion:
    """BIDIRECTIONAL_SEQUENCE_LSTM of float32: two layers, one of which goes from the end to the beginning."""
    if any(context.has(position) for position in range(39, 48)):
        raise context.unsupported("expected an LSTM without an auxiliary input, got one with it")
    source = context.ranked_value(0, 3)
    if source.type.dtype is not DType.FLOAT32:
        raise context.unsupported(f"expected float32, got {source.type.dtype.value}")
    name = builtin.activation_name(context.options.integer("FusedActivationFunction"))
    if name != "TANH":
        raise context.unsupported(f"expected an LSTM with TANH, got {name}")
    operator = Lstm(
        time_major=context.options.boolean("TimeMajor"),
        cell_clip=context.options.real("CellClip"),
        projection_clip=context.options.real("ProjClip"),
    )
    if not context.options.boolean("MergeOutputs"):
        places = _Places.bidirectional(is_backwards=context.number == 1)
        return _lstm(context, replace(operator, backwards=context.number == 1), source, places)
    both = [_step(context, replace(operator, backwards=way), source) for way in (False, True)]
    return Concat(axis=2), both


@dataclass(frozen=True)
class _Places:
    """Of which input each part of an LSTM is: weights and so on of its input, forget, cell and output gate."""

    weights: int
    recurrent: int
    peepholes: int
    biases: int
    projection: int
    output_state: int
    cell_state: int

    @staticmethod
    def unidirectional() -> "_Places":
        """As in the operator LSTM, too."""
        return _Places(1, 5, 9, 12, 16, 18, 19)

    @staticmethod
    def bidirectional(*, is_backwards: bool) -> "_Places":
        """Of one way; the states of both come behind the weights of both."""
        first, states = (18, 37) if is_backwards else (1, 35)
        return _Places(first, first + 4, first + 8, first + 11, first + 15, states, states + 1)


def _lstm(context: OperatorContext, operator: Lstm, source: Value, places: _Places) -> Conversion:
    """The operator and its operands, with what it leaves in both variable tensors as results besides its own."""
    states = _states(context, places)
    context.keep(places.output_state, context.result("output_state", states[0].type))
    context.keep(places.cell_state, context.result("cell_state", states[1].type))
    return operator, (source, *states, *_weights(context, source, places))


def _step(context: OperatorContext, operator: Lstm, source: Value) -> Value:
    """What one way of a bidirectional layer gives, in front of what joins them."""
    places = _Places.bidirectional(is_backwards=operator.backwards)
    operands = (source, *_states(context, places), *_weights(context, source, places))
    result, output_state, cell_state = context.steps(operator, operands)
    context.keep(places.output_state, output_state)
    context.keep(places.cell_state, cell_state)
    return result


def _states(context: OperatorContext, places: _Places) -> tuple[Value, Value]:
    return context.kept(places.output_state), context.kept(places.cell_state)


def _weights(context: OperatorContext, source: Value, places: _Places) -> list[Value | None]:
    matrices = [*range(places.weights, places.weights + 4)]
    matrices += range(places.recurrent, places.recurrent + 4)
    biases = range(places.biases, places.biases + 4)
    peepholes = range(places.peepholes, places.peepholes + 3)
    found: list[Value | None] = [_optional(context, source, position, 2) for position in matrices]
    found += [context.value(position) if context.has(position) else None for position in biases]
    found += [_optional(context, source, position, 1) for position in peepholes]
    found.append(_optional(context, source, places.projection, 2))
    has_bias = context.has(places.projection + 1)
    found.append(context.value(places.projection + 1) if has_bias else None)
    return found


def _optional(context: OperatorContext, source: Value, position: int, rank: int) -> Value | None:
    """Weights beside float32 are float32."""
    return context.weights(source, rank, position) if context.has(position) else None


def _hidden(context: OperatorContext) -> Quantization:
    """Of what leaves the cells: the fifth of the tensors that the file has for the operator's inside."""
    inside = context.operator.intermediates
    stored = context.values.file.tensor(inside[4]).quantization if len(inside) > 4 else None
    if stored is None or len(stored.scales) != 1 or len(stored.zero_points) != 1:
        raise context.error("expected an intermediate tensor 4 with one scale, got none")
    return Quantization.per_tensor(stored.scales[0], stored.zero_points[0])


RULES: Mapping[str, Rule] = {
    "BIDIRECTIONAL_SEQUENCE_LSTM": Rule(
        3,
        (48, 48),
        "BidirectionalSequenceLSTMOptions",
        (Lstm, Concat),
        bidirectional_sequence_lstm,
        FLOATS,
        outputs=(1, 2),
    ),
    "SVDF": Rule(4, (5, 5), "SVDFOptions", (Svdf, SvdfState), svdf, SMALL),
    "UNIDIRECTIONAL_SEQUENCE_LSTM": Rule(
        4,
        (20, 24),
        "UnidirectionalSequenceLSTMOptions",
        (Lstm,),
        unidirectional_sequence_lstm,
        NUMBERS,
    ),
}
