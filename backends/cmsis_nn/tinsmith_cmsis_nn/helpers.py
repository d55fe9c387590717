"""C that all layers of one kind share: a record of constants, and the one place that calls the kernel."""

from dataclasses import dataclass

from tinsmith_c import expression

_TEXT = """\
// Everything that a {what} needs besides the arena; the last four are bytes in it.
typedef struct {{
  {parameters} parameters;
  cmsis_nn_per_channel_quant_params scales;
  const cmsis_nn_dims *input_dims;
  const cmsis_nn_dims *weight_dims;
  const cmsis_nn_dims *output_dims;
  const int8_t *weights;
  const int32_t *bias;
  int32_t input;
  int32_t output;
  int32_t scratch;
  int32_t scratch_bytes;
}} {name}_call;"""

_CALL_TEXT = """\
static TINSMITH_NOINLINE int {name}(const {name}_call *call, uint8_t *arena) {{
  const cmsis_nn_context context = {{arena + call->scratch, call->scratch_bytes}};
  const int8_t *input = (const int8_t *)(arena + call->input);
  int8_t *output = (int8_t *)(arena + call->output);
{call}
}}"""

_MOVED_TEXT = """\
// The same where loops have moved input, output and scratch by so many bytes.
static TINSMITH_NOINLINE int {name}_moved(const {name}_call *call, uint8_t *arena, int32_t from,
                                          int32_t to, int32_t aside) {{
  const cmsis_nn_context context = {{arena + call->scratch + aside, call->scratch_bytes}};
  const int8_t *input = (const int8_t *)(arena + call->input + from);
  int8_t *output = (int8_t *)(arena + call->output + to);
{call}
}}"""

_APART_TEXT = """\
// The same where input, output and scratch lie in memories of their own, moved by loops or not.
static TINSMITH_NOINLINE int {name}_apart(const {name}_call *call, const uint8_t *from, uint8_t *to,
                                          uint8_t *aside) {{
  const cmsis_nn_context context = {{aside == NULL ? NULL : aside + call->scratch, call->scratch_bytes}};
  const int8_t *input = (const int8_t *)(from + call->input);
  int8_t *output = (int8_t *)(to + call->output);
{call}
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


def helper_text(kind: Kind) -> str:
    """The record type and the function."""
    record = _TEXT.format(name=kind.name, what=kind.what, parameters=kind.parameters)
    return f"{record}\n\n{_CALL_TEXT.format(name=kind.name, call=_call(kind))}"


def moved_text(kind: Kind) -> str:
    """The function for calls whose operands loops move; it stands behind `helper_text`."""
    return _MOVED_TEXT.format(name=kind.name, call=_call(kind))


def apart_text(kind: Kind) -> str:
    """The function for calls whose operands lie in several memories; it stands behind `helper_text`."""
    return _APART_TEXT.format(name=kind.name, call=_call(kind))


def _call(kind: Kind) -> str:
    arguments = [
        "&context",
        "&call->parameters",
        "&call->scales",
        "call->input_dims",
        "input",
        "call->weight_dims",
        "call->weights",
        "call->bias",
        "call->output_dims",
        "output",
    ]
    return f"  return {expression(kind.kernel, arguments)};"
