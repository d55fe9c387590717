"""C that all layers of one kind share: a record of constants, and the one place that calls the kernel."""

from dataclasses import dataclass

from tinsmith_c import expression, wrapped_call

_OPERANDS_TEXT = """\
// How large the operands of a convolution are, and where they lie: bytes in the arena.
typedef struct {{
  const cmsis_nn_dims *input_dims;
  const cmsis_nn_dims *weight_dims;
  const cmsis_nn_dims *output_dims;
  {place} input;
  {place} output;
  {place} scratch;
  {place} scratch_bytes;
}} convolve_operands;"""

_TEXT = """\
// Everything that a {what} needs besides the arena.
typedef struct {{
  {parameters} parameters;
  cmsis_nn_per_channel_quant_params scales;
  const int8_t *weights;
  const int32_t *bias;
  convolve_operands operands;
}} {name}_call;"""

_AT_TEXT = """\
// What the record says of places is counted from `from`, `to` and `aside`.
{head}
  const convolve_operands *operands = &call->operands;
  const cmsis_nn_context context = {{aside == NULL ? NULL : aside + operands->scratch, operands->scratch_bytes}};
  const int8_t *input = (const int8_t *)(from + operands->input);
  int8_t *output = (int8_t *)(to + operands->output);
{call}
}}"""

_STARTS = ("const uint8_t *from", "uint8_t *to", "uint8_t *aside")

_PART_TEXT = """\
// What a part of a layer has of its own, where the first of its parts has a record of all: heights and widths, what the
// API has first of the weights, and padding before.
typedef struct {{
  const void *first;
  {extent} input_size[2];
  {extent} output_size[2];
  int16_t weights;
  int8_t padding[2];
  {place} input;
  {place} output;
  {place} scratch;
  {place} scratch_bytes;
}} part_of_layer;

static TINSMITH_NOINLINE void take_part(const part_of_layer *part, convolve_operands *operands, cmsis_nn_tile *padding,
                                        cmsis_nn_dims *dims) {{
  dims[0] = *operands->input_dims;
  dims[1] = *operands->weight_dims;
  dims[2] = *operands->output_dims;
  dims[0].h = part->input_size[0];
  dims[0].w = part->input_size[1];
  dims[1].n = part->weights;
  dims[2].h = part->output_size[0];
  dims[2].w = part->output_size[1];
  padding->h = part->padding[0];
  padding->w = part->padding[1];
  operands->input_dims = &dims[0];
  operands->weight_dims = &dims[1];
  operands->output_dims = &dims[2];
  operands->input = part->input;
  operands->output = part->output;
  operands->scratch = part->scratch;
  operands->scratch_bytes = part->scratch_bytes;
}}"""

_PART_AT_TEXT = """\
{head}
  {name}_call call = *(const {name}_call *)part->first;
  cmsis_nn_dims dims[3];
  take_part(part, &call.operands, &call.parameters.padding, dims);
  return {name}_at(&call, from, to, aside);
}}"""

_IN_ONE_TEXT = """\
static TINSMITH_NOINLINE int {name}({record}, uint8_t *arena) {{
  return {name}_at({given}, arena, arena, arena);
}}"""


@dataclass(frozen=True)
class Kind:
    """A packed kernel. name: of the helper. what: for the comment. parameters: its C struct. is_final: whether it is
    for one rounding already.
    """

    name: str
    what: str
    parameters: str
    kernel: str
    is_final: bool = False


CONVOLUTION = Kind("convolve", "convolution", "cmsis_nn_conv_params", "tinsmith_convolve_packed_s8")
DEPTHWISE = Kind(
    "convolve_depthwise",
    "depthwise convolution",
    "cmsis_nn_dw_conv_params",
    "tinsmith_depthwise_packed_s8",
)
DEPTHWISE_3X3 = Kind(
    "convolve_depthwise_3x3",
    "depthwise convolution by 3x3 taps",
    "cmsis_nn_dw_conv_params",
    "tinsmith_depthwise_packed_3x3_s8",
)
CONVOLUTION_ANY = Kind(
    "convolve_any",
    "convolution of any scale",
    "cmsis_nn_conv_params",
    "tinsmith_convolve_packed_any_s8",
)
CONVOLUTION_SINGLE = Kind(
    "convolve_single",
    "convolution pixel by pixel",
    "cmsis_nn_conv_params",
    "tinsmith_convolve_packed_single_s8",
)
CONVOLUTION_OFFSET = Kind(
    "convolve_offset",
    "convolution on weights with an offset",
    "cmsis_nn_conv_params",
    "tinsmith_convolve_packed_offset_s8",
)
CONVOLUTION_FOUR_BITS = Kind(
    "convolve_four_bits",
    "convolution on weights of four bits",
    "cmsis_nn_conv_params",
    "tinsmith_convolve_packed_s4",
)
DEPTHWISE_FOUR_BITS = Kind(
    "convolve_depthwise_four_bits",
    "depthwise convolution on weights of four bits",
    "cmsis_nn_dw_conv_params",
    "tinsmith_depthwise_packed_s4",
)
DEPTHWISE_ANY_FOUR_BITS = Kind(
    "convolve_depthwise_any_four_bits",
    "depthwise convolution on weights of four bits, of any scale",
    "cmsis_nn_dw_conv_params",
    "tinsmith_depthwise_packed_any_s4",
)
CONVOLUTION_TWO_BITS = Kind(
    "convolve_two_bits",
    "convolution on weights of two bits",
    "cmsis_nn_conv_params",
    "tinsmith_convolve_packed_s2",
)
CONVOLUTION_ANY_TWO_BITS = Kind(
    "convolve_any_two_bits",
    "convolution on weights of two bits, of any scale",
    "cmsis_nn_conv_params",
    "tinsmith_convolve_packed_any_s2",
)
DEPTHWISE_TWO_BITS = Kind(
    "convolve_depthwise_two_bits",
    "depthwise convolution on weights of two bits",
    "cmsis_nn_dw_conv_params",
    "tinsmith_depthwise_packed_s2",
)
DEPTHWISE_ANY_TWO_BITS = Kind(
    "convolve_depthwise_any_two_bits",
    "depthwise convolution on weights of two bits, of any scale",
    "cmsis_nn_dw_conv_params",
    "tinsmith_depthwise_packed_any_s2",
)
DEPTHWISE_ANY = Kind(
    "convolve_depthwise_any",
    "depthwise convolution of any scale",
    "cmsis_nn_dw_conv_params",
    "tinsmith_depthwise_packed_any_s8",
)
DEPTHWISE_PIXELS = Kind(
    "convolve_depthwise_pixels",
    "depthwise convolution pixel by pixel",
    "cmsis_nn_dw_conv_params",
    "tinsmith_depthwise_pixels_s8",
)


def nearest_kind(kind: Kind) -> Kind:
    """The same, rounded once."""
    return Kind(
        f"{kind.name}_nearest",
        f"{kind.what}, rounded once",
        kind.parameters,
        f"{kind.kernel}_nearest",
    )


def narrow_kind(kind: Kind) -> Kind:
    """The same, rounded once with narrow multipliers."""
    return Kind(
        f"{kind.name}_narrow",
        f"{kind.what}, by narrow multipliers",
        kind.parameters,
        f"{kind.kernel}_narrow",
        is_final=True,
    )


def operands_text(place: str) -> str:
    """The record of operands; it stands in front of `record_text`. place: C type of bytes in the arena."""
    return _OPERANDS_TEXT.format(place=place)


def part_text(place: str, extent: str) -> str:
    """The record of a part, whatever of, and what makes one of all of it; it stands behind `operands_text`.

    extent: C type of heights and widths.
    """
    return _PART_TEXT.format(place=place, extent=extent)


def record_text(kind: Kind) -> str:
    """The record type; it stands behind `operands_text`."""
    return _TEXT.format(name=kind.name, what=kind.what, parameters=kind.parameters)


def at_text(kind: Kind) -> str:
    """The function for whole layers, told where memories begin; it stands behind `record_text`."""
    head = _head(f"{kind.name}_at", (_record(kind), *_STARTS))
    return _AT_TEXT.format(head=head, call=_call(kind))


def part_at_text(kind: Kind) -> str:
    """The same for parts; it stands behind `part_text` and `at_text`."""
    head = _head(f"{kind.name}_part_at", (_PART, *_STARTS))
    return _PART_AT_TEXT.format(name=kind.name, head=head)


def in_one_text(kind: Kind, *, is_part: bool) -> str:
    """The function for what lies in the arena where the record says; it stands behind the one that is told."""
    record = _PART if is_part else _record(kind)
    name = f"{kind.name}_part" if is_part else kind.name
    return _IN_ONE_TEXT.format(name=name, record=record, given=record.split("*")[-1])


_PART = "const part_of_layer *part"


def _record(kind: Kind) -> str:
    return f"const {kind.name}_call *call"


def _head(name: str, parameters: tuple[str, ...]) -> str:
    return wrapped_call(f"static TINSMITH_NOINLINE int {name}(", parameters, ") {")


def _call(kind: Kind) -> str:
    arguments = [
        "&context",
        "&call->parameters",
        "&call->scales",
        "operands->input_dims",
        "input",
        "operands->weight_dims",
        "call->weights",
        "call->bias",
        "operands->output_dims",
        "output",
    ]
    return f"  return {expression(kind.kernel, arguments)};"
