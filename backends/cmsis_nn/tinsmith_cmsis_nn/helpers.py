"""C that all layers of one kind share: a record of constants, and the one place that calls the kernel."""

from dataclasses import dataclass

from tinsmith_c import expression, wrapped_call

OPERANDS_TEXT = """\
// How large the operands of a convolution are, and where they lie: bytes in the arena.
typedef struct {
  const cmsis_nn_dims *input_dims;
  const cmsis_nn_dims *weight_dims;
  const cmsis_nn_dims *output_dims;
  int32_t input;
  int32_t output;
  int32_t scratch;
  int32_t scratch_bytes;
} convolve_operands;"""
"""Stands in front of `record_text`."""

_TEXT = """\
// Everything that a {what} needs besides the arena.
typedef struct {{
  {parameters} parameters;
  cmsis_nn_per_channel_quant_params scales;
  const int8_t *weights;
  const int32_t *bias;
  convolve_operands operands;
}} {name}_call;"""

_CALL_TEXT = """\
static TINSMITH_NOINLINE int {name}(const {name}_call *call, uint8_t *arena) {{
  const convolve_operands *operands = &call->operands;
  const cmsis_nn_context context = {{arena + operands->scratch, operands->scratch_bytes}};
  const int8_t *input = (const int8_t *)(arena + operands->input);
  int8_t *output = (int8_t *)(arena + operands->output);
{call}
}}"""

_MOVED_TEXT = """\
// The same where input, output and scratch lie so many bytes behind.
static TINSMITH_NOINLINE int {name}_moved(const {name}_call *call, uint8_t *arena, int32_t from,
                                          int32_t to, int32_t aside) {{
  const convolve_operands *operands = &call->operands;
  const cmsis_nn_context context = {{arena + operands->scratch + aside, operands->scratch_bytes}};
  const int8_t *input = (const int8_t *)(arena + operands->input + from);
  int8_t *output = (int8_t *)(arena + operands->output + to);
{call}
}}"""

_APART_TEXT = """\
// The same where input, output and scratch lie in memories of their own.
static TINSMITH_NOINLINE int {name}_apart(const {name}_call *call, const uint8_t *from, uint8_t *to,
                                          uint8_t *aside) {{
  const convolve_operands *operands = &call->operands;
  const cmsis_nn_context context = {{aside == NULL ? NULL : aside + operands->scratch, operands->scratch_bytes}};
  const int8_t *input = (const int8_t *)(from + operands->input);
  int8_t *output = (int8_t *)(to + operands->output);
{call}
}}"""

PART_TEXT = """\
// What a part of a layer has of its own, where the first of its parts has a record of all: heights and widths, what the
// API has first of the weights, and padding before.
typedef struct {
  const void *first;
  int16_t input_size[2];
  int16_t output_size[2];
  int16_t weights;
  int8_t padding[2];
  int32_t input;
  int32_t output;
  int32_t scratch;
  int32_t scratch_bytes;
} part_of_layer;

static TINSMITH_NOINLINE void take_part(const part_of_layer *part, convolve_operands *operands, cmsis_nn_tile *padding,
                                        cmsis_nn_dims *dims) {
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
}"""
"""The record of a part, whatever of, and what makes one of all of it; it stands behind `OPERANDS_TEXT`."""

_PART_CALL_TEXT = """\
{head}
  {name}_call call = *(const {name}_call *)part->first;
  cmsis_nn_dims dims[3];
  take_part(part, &call.operands, &call.parameters.padding, dims);
  return {name}{suffix}(&call, {given});
}}"""


@dataclass(frozen=True)
class Kind:
    """A packed kernel. name: of the helper. what: for the comment. parameters: its C struct."""

    name: str
    what: str
    parameters: str
    kernel: str


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


def record_text(kind: Kind) -> str:
    """The record type; it stands behind `OPERANDS_TEXT`."""
    return _TEXT.format(name=kind.name, what=kind.what, parameters=kind.parameters)


def call_text(kind: Kind, suffix: str) -> str:
    """The function for whole layers; it stands behind `record_text`.

    suffix: "", "_moved" where operands do not lie where the record says, "_apart" where they lie in several memories.
    """
    text = {"": _CALL_TEXT, "_moved": _MOVED_TEXT, "_apart": _APART_TEXT}[suffix]
    return text.format(name=kind.name, call=_call(kind))


def part_call_text(kind: Kind, suffix: str) -> str:
    """The function for parts; it stands behind `PART_TEXT` and that for whole layers.

    suffix: as of `call_text`.
    """
    declared = {
        "": ("uint8_t *arena",),
        "_moved": ("uint8_t *arena", "int32_t from", "int32_t to", "int32_t aside"),
        "_apart": ("const uint8_t *from", "uint8_t *to", "uint8_t *aside"),
    }[suffix]
    head = wrapped_call(
        f"static TINSMITH_NOINLINE int {kind.name}_part{suffix}(",
        ("const part_of_layer *part", *declared),
        ") {",
    )
    given = ", ".join(word.split()[-1].lstrip("*") for word in declared)
    return _PART_CALL_TEXT.format(name=kind.name, suffix=suffix, head=head, given=given)


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
