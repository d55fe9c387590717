"""Functions of the header that make elements of real numbers and real numbers of elements, for callers with floats.

They are `static inline`: a program that does not call them has no byte of them.
"""

from collections.abc import Sequence

from tinsmith_ir.dtypes import DType
from tinsmith_ir.types import TensorType

from tinsmith_c.layout import Layout, c_name
from tinsmith_c.names import NameTable, c_identifier, shortened
from tinsmith_c.scope import C_TYPES
from tinsmith_c.text import comment_lines, wrapped_call

_CONVERTED = (DType.INT8, DType.UINT8, DType.INT16)
_LONGEST = 16


def real_helpers(layout: Layout) -> list[str]:
    """Lines of the header: `<name>_quantize_input(real, elements)` for each quantized input, `<name>_dequantize_output`
    for each quantized output. Of several inputs or outputs, `_<tensor>` stands behind.

    Bit by bit what `Quantize(halves_to_even=True)` and `Dequantize` of the evaluator give. Tensors that have no scale
    of their own, such as floats, have none.
    """
    name = c_name(layout.program)
    inputs = _functions(layout, name, "input", layout.program.inputs)
    outputs = _functions(layout, name, "output", layout.program.outputs)
    return [*(_nearest(name) if inputs else []), *inputs, *outputs]


def tensor_names(names: Sequence[str]) -> list[str]:
    """What stands behind the names of the functions: nothing for a tensor alone, else `_` and an identifier."""
    if len(names) == 1:
        return [""]
    table = NameTable()
    return [f"_{table.unique(shortened(c_identifier(name), _LONGEST))}" for name in names]


def is_converted(type_: TensorType) -> bool:
    """Whether a tensor of that type has such a function."""
    quantization = type_.quantization
    return (
        type_.dtype in _CONVERTED
        and quantization is not None
        and quantization.axis is None
        and len(quantization.scales) == 1
    )


def _functions(layout: Layout, name: str, kind: str, tensors: Sequence[str]) -> list[str]:
    lines: list[str] = []
    for index, (tensor, suffix) in enumerate(zip(tensors, tensor_names(tensors), strict=True)):
        type_ = layout.program.view[tensor].type
        if is_converted(type_):
            write = _quantize if kind == "input" else _dequantize
            lines += write(name, f"{kind}{suffix}", f"{name}_{kind}_{index}".upper(), type_)
    return lines


def _quantize(name: str, label: str, macro: str, type_: TensorType) -> list[str]:
    low, high = type_.dtype.integer_range
    element = C_TYPES[type_.dtype]
    return [
        *comment_lines(f"{type_.elements} real numbers as elements of {macro.lower()}."),
        wrapped_call(
            f"static inline void {name}_quantize_{label}(",
            ["const float *real", f"{element} *elements"],
            ") {",
        ),
        *_constants(macro),
        f"  for (uint32_t i = 0; i < {type_.elements}u; ++i) {{",
        f"    elements[i] = ({element}){name}_nearest(real[i] / scale, zero_point, {low}, {high});",
        "  }",
        "}",
        "",
    ]


def _dequantize(name: str, label: str, macro: str, type_: TensorType) -> list[str]:
    element = C_TYPES[type_.dtype]
    return [
        *comment_lines(
            f"The {type_.elements} elements of {macro.lower()} as real numbers, scale * (element - zero point)."
        ),
        wrapped_call(
            f"static inline void {name}_dequantize_{label}(",
            [f"const {element} *elements", "float *real"],
            ") {",
        ),
        *_constants(macro),
        f"  for (uint32_t i = 0; i < {type_.elements}u; ++i) {{",
        "    real[i] = scale * (float)(elements[i] - zero_point);",
        "  }",
        "}",
        "",
    ]


def _constants(macro: str) -> list[str]:
    """Short names, with which lines are short whatever the network is called."""
    return [
        f"  const float scale = {macro}_SCALE;",
        f"  const int32_t zero_point = {macro}_ZERO_POINT;",
    ]


def _nearest(name: str) -> list[str]:
    """Rounding without a library; as kernels/reference/quantization.c has it."""
    return [
        *comment_lines(
            "The integer nearest to `value`, halves to the even one, plus the zero point, clamped; what is no number "
            "gives the zero point. Use it through the functions below."
        ),
        wrapped_call(
            f"static inline int32_t {name}_nearest(",
            ["float value", "int32_t zero_point", "int32_t min", "int32_t max"],
            ") {",
        ),
        "  // Beyond 2**20 lies no element; within, the integer part and the rest are exact. No float is compared for",
        "  // equality, of which strict builds warn.",
        "  const float number = value < 0.0f || value >= 0.0f ? value : 0.0f;",
        "  const float bounded = number < -1048576.0f ? -1048576.0f : number > 1048576.0f ? 1048576.0f : number;",
        "  const int32_t whole = (int32_t)bounded;",
        "  const float rest = bounded - (float)whole;",
        "  const int32_t is_odd = whole % 2 != 0;",
        "  const int32_t up = is_odd ? rest >= 0.5f : rest > 0.5f;",
        "  const int32_t down = is_odd ? rest <= -0.5f : rest < -0.5f;",
        "  const int32_t element = whole + up - down + zero_point;",
        "  return element < min ? min : element > max ? max : element;",
        "}",
        "",
    ]
