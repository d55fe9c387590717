"""Small graphs as text, one or more for each operator that is exported."""

from collections.abc import Iterator, Mapping

_Q = "<0.0625, -3>"
_R = "<0.125, 5>"
_S = "<0.0625, 0>"


def _graph(*statements: str, output: str = "y") -> str:
    lines = "\n".join(f"  {statement}" for statement in (*statements, f"output %{output}"))
    return f'graph 2 "small" {{\n{lines}\n}}\n'


def _one(operands: str, result: str, application: str) -> str:
    """Inputs as `x: TYPE; z: TYPE`, and one node."""
    inputs = [f"input %{each}" for each in operands.split("; ")]
    return _graph(*inputs, f"%y: {result} = {application}")


_CURVES = {
    "logistic": ("<0.00390625, -128>", "<0.000030517578125, 0>"),
    "tanh": ("<0.0078125, 0>", "<0.000030517578125, 0>"),
}
_OF_INT8 = (
    "relu",
    "relu6",
    "relu_n1_to_1",
    "relu_0_to_1",
    "elu",
    "gelu",
    "exp",
    "abs",
    "hard_swish",
)
_OF_FLOAT = (
    *_OF_INT8,
    "neg",
    "sign",
    "square",
    "sqrt",
    "rsqrt",
    "log",
    "floor",
    "ceil",
    "round",
    "sin",
    "cos",
    "tanh",
    "logistic",
    "log_softmax",
    "l2_normalization",
    "softmax",
)


def _functions() -> Iterator[tuple[str, str]]:
    for name in _OF_INT8:
        yield f"{name} i8", _one(f"x: i8[2,5]{_Q}", f"i8[2,5]{_R}", f"{name}(%x)")
    for name in _OF_FLOAT:
        yield f"{name} f32", _one("x: f32[2,5]", "f32[2,5]", f"{name}(%x)")
    for name, (of_int8, of_int16) in _CURVES.items():
        yield f"{name} i8", _one(f"x: i8[2,5]{_Q}", f"i8[2,5]{of_int8}", f"{name}(%x)")
        yield (
            f"{name} i16",
            _one("x: i16[2,5]<0.0009765625, 0>", f"i16[2,5]{of_int16}", f"{name}(%x)"),
        )
    for name, given, quantization in (
        ("softmax", _Q, "<0.00390625, -128>"),
        ("log_softmax", _Q, "<0.0625, 127>"),
        ("l2_normalization", _Q, "<0.0078125, 0>"),
    ):
        yield f"{name} i8", _one(f"x: i8[2,5]{given}", f"i8[2,5]{quantization}", f"{name}(%x)")
    for type_, result in (
        (f"i8[2,5]{_Q}", f"i8[2,5]{_R}"),
        (f"i16[2,5]{_S}", f"i16[2,5]{_S}"),
        ("f32[2,5]", "f32[2,5]"),
    ):
        yield f"leaky_relu {type_}", _one(f"x: {type_}", result, "leaky_relu(%x) {alpha=0.25}")
    yield "prelu", _one(f"x: i8[2,5]{_Q}; a: i8[5]{_R}", f"i8[2,5]{_R}", "prelu(%x, %a)")


def _arithmetic() -> Iterator[tuple[str, str]]:
    for name in ("add", "sub", "mul"):
        for type_, other in (
            (f"i8[2,3]{_Q}", f"i8[3]{_R}"),
            (f"i16[2,3]{_S}", f"i16[3]{_S}"),
            ("f32[2,3]", "f32[3]"),
            ("i32[2,3]", "i32[3]"),
        ):
            fused = "" if type_.startswith("i32") else " {activation=relu}"
            yield (
                f"{name} {type_}",
                _one(f"x: {type_}; z: {other}", type_, f"{name}(%x, %z){fused}"),
            )
    for name in ("minimum", "maximum"):
        for type_ in (f"i8[2,3]{_Q}", "f32[2,3]", "bool[2,3]"):
            yield f"{name} {type_}", _one(f"x: {type_}; z: {type_}", type_, f"{name}(%x, %z)")
    for name in ("div", "floor_div", "floor_mod"):
        yield name, _one("x: f32[2,3]; z: f32[2,3]", "f32[2,3]", f"{name}(%x, %z)")
    yield (
        "add clamped",
        _one(
            f"x: i8[2,3]{_Q}; z: i8[3]{_R}", f"i8[2,3]{_R}", "add(%x, %z) {activation=relu_0_to_1}"
        ),
    )
    yield (
        "squared_difference",
        _one(f"x: i8[2,3]{_Q}; z: i8[3]{_R}", f"i8[2,3]{_R}", "squared_difference(%x, %z)"),
    )
    for flags, lhs, rhs in (
        ("", "2,3,4", "4,5"),
        (" {transpose_rhs=true}", "2,3,4", "2,5,4"),
        (" {transpose_lhs=true}", "2,4,3", "2,4,5"),
    ):
        yield (
            f"batch_matmul{flags}",
            _one(
                f"x: i8[{lhs}]{_Q}; z: i8[{rhs}]{_Q}",
                f"i8[2,3,5]{_R}",
                f"batch_matmul(%x, %z){flags}",
            ),
        )
    for relation in ("equal", "not_equal", "less", "less_equal"):
        yield (
            relation,
            _one(
                f"x: i8[2,3]{_Q}; z: i8[3]{_R}",
                "bool[2,3]",
                f"compare(%x, %z) {{relation={relation}}}",
            ),
        )
    yield (
        "select",
        _one(f"c: bool[2,3]; x: i8[2,3]{_Q}; z: i8[3]{_Q}", f"i8[2,3]{_Q}", "select(%c, %x, %z)"),
    )
    yield "cast", _one("x: i32[2,3]", "f32[2,3]", "cast(%x)")
    yield "quantize", _one("x: f32[2,3]", f"i8[2,3]{_Q}", "quantize(%x)")
    yield "dequantize", _one(f"x: i8[2,3]{_Q}", "f32[2,3]", "dequantize(%x)")
    yield "requantize i16", _one(f"x: i8[2,3]{_Q}", f"i16[2,3]{_S}", "requantize(%x) {dtype=i16}")
    yield "requantize u8", _one("x: u8[2,3]<0.0625, 125>", f"i8[2,3]{_Q}", "requantize(%x)")
    yield (
        "requantize clamped",
        _one(f"x: i8[2,3]{_Q}", f"i8[2,3]{_R}", "requantize(%x) {activation=relu6}"),
    )


_WEIGHTS = (
    'const %w: i8[2,3,3,1]<[0.25, 0.125], [0, 0], axis 0> = base64 "AQIDBAUGBwgJ//79/Pv6+fj3"'
)
_BIAS = "const %b: i32[2] = [100, -50]"


def _layers() -> Iterator[tuple[str, str]]:
    for padding, shape in (("0,0,0,0", "1,4,3,2"), ("1,1,1,1", "1,6,5,2"), ("2,0,1,1", "1,6,5,2")):
        for bias in ("%b", "none"):
            node = f"%y: i8[{shape}]<1.0, 3> = conv2d(%x, %w, {bias}) {{padding=[{padding}], activation=relu}}"
            yield (
                f"conv2d {padding} {bias}",
                _graph(f"input %x: i8[1,6,5,1]{_Q}", _WEIGHTS, _BIAS, node),
            )
    node = "%y: i16[1,6,5,2]<1.0, 0> = conv2d(%x, %w, %b) {padding=[1,1,1,1]}"
    yield "conv2d i16", _graph("input %x: i16[1,6,5,1]<0.0009765625, 0>", _WEIGHTS, _BIAS, node)
    weights = (
        'const %w: i8[1,3,3,2]<[0.25, 0.125], [0, 0], axis 3> = base64 "AQIDBAUGBwgJ//79/Pv6+fj3"'
    )
    for stride, shape, padding in (("1,1", "1,6,5,2", "1,1,1,1"), ("2,2", "1,3,3,2", "1,1,1,1")):
        node = f"%y: i8[{shape}]<1.0, 3> = depthwise_conv2d(%x, %w, %b) {{stride=[{stride}], padding=[{padding}]}}"
        yield (
            f"depthwise_conv2d {stride}",
            _graph(f"input %x: i8[1,6,5,1]{_Q}", weights, _BIAS, node),
        )
    per_axis = "const %w: i8[2,3]<[0.25, 0.125], [0, 0], axis 0> = [1, -2, 3, 4, 5, -6]"
    per_tensor = "const %w: i8[2,3]<0.25, 0> = [1, -2, 3, 4, 5, -6]"
    for name, weights in (("per axis", per_axis), ("per tensor", per_tensor)):
        for keep, shape in (("false", "4,2"), ("true", "2,2,2")):
            node = f"%y: i8[{shape}]<0.5, 3> = fully_connected(%x, %w, %b) {{keep_dims={keep}}}"
            yield (
                f"fully_connected {name} {keep}",
                _graph(f"input %x: i8[2,2,3]{_Q}", weights, _BIAS, node),
            )
    for name in ("average_pool2d", "max_pool2d"):
        for padding, shape in (("0,0,0,0", "1,2,2,2"), ("0,1,0,1", "1,3,3,2")):
            application = f"{name}(%x) {{window=[2,2], stride=[2,2], padding=[{padding}]}}"
            yield f"{name} {padding}", _one(f"x: i8[1,5,5,2]{_Q}", f"i8[{shape}]{_Q}", application)
    for type_ in (f"i8[1,5,5,2]{_Q}", "f32[1,5,5,2]"):
        result = type_.replace("5,5", "3,3")
        yield (
            f"max_pool2d in front {type_}",
            _one(
                f"x: {type_}",
                result,
                "max_pool2d(%x) {window=[2,2], stride=[2,2], padding=[1,0,1,0]}",
            ),
        )


def _moves() -> Iterator[tuple[str, str]]:
    for dtype in (f"i8{{}}{_Q}", f"i16{{}}{_S}", "f32{}", "i32{}"):
        source = dtype.format("[2,3,4]")

        def one(shape: str, application: str, dtype: str = dtype, source: str = source) -> str:
            return _one(f"x: {source}", dtype.format(shape), application)

        yield f"reshape {source}", one("[4,6]", "reshape(%x) {shape=[4,6]}")
        yield f"pad {source}", one("[3,3,6]", "pad(%x) {padding=[1,0,0,0,1,1]}")
        value = "2.0" if dtype.startswith("f32") else "2"
        yield f"padv2 {source}", one("[3,3,6]", f"pad(%x) {{padding=[1,0,0,0,1,1], value={value}}}")
        yield f"transpose {source}", one("[4,2,3]", "transpose(%x) {permutation=[2,0,1]}")
        yield f"slice {source}", one("[1,3,2]", "slice(%x) {begin=[1,0,1], shape=[1,3,2]}")
        yield (
            f"slice back {source}",
            one("[2,3,2]", "slice(%x) {begin=[1,2,0], shape=[2,3,2], strides=[-1,-1,2]}"),
        )
        yield f"concat {source}", one("[2,6,4]", "concat(%x, %x) {axis=1}")
        yield f"broadcast {source}", one("[2,2,3,4]", "broadcast(%x) {shape=[2,2,3,4]}")
        index = "const %i: i32[2] = [2, 7]"
        yield (
            f"gather {source}",
            _graph(
                f"input %x: {source}",
                index,
                f"%y: {dtype.format('[2,3,2]')} = gather(%x, %i) {{axis=2}}",
            ),
        )


def _reductions() -> Iterator[tuple[str, str]]:
    for keep, shape in (("true", "[1,1,1,2]"), ("false", "[1,2]")):
        for name in ("mean", "reduce_max", "reduce_min"):
            for type_, quantization in (("i8", _Q), ("f32", "")):
                application = f"{name}(%x) {{axes=[1,2], keep_dims={keep}}}"
                yield (
                    f"{name} {type_} {keep}",
                    _one(
                        f"x: {type_}[1,3,4,2]{quantization}",
                        f"{type_}{shape}{quantization}",
                        application,
                    ),
                )
    for name in ("sum", "reduce_prod"):
        yield name, _one("x: f32[2,3]", "f32[2]", f"{name}(%x) {{axes=[1]}}")
    for name in ("arg_max", "arg_min"):
        yield name, _one(f"x: i8[2,5]{_Q}", "i32[2]", f"{name}(%x) {{axis=1}}")
    yield "top_k", _one(f"x: i8[2,5]{_Q}", f"i8[2,3]{_Q}", "top_k(%x) {count=3}")
    yield "top_k_indices", _one(f"x: i8[2,5]{_Q}", "i32[2,3]", "top_k_indices(%x) {count=3}")
    yield "cumsum", _one("x: f32[2,5]", "f32[2,5]", "cumsum(%x) {axis=1, exclusive=true}")
    yield (
        "resize_bilinear",
        _one(
            f"x: i8[1,2,3,2]{_Q}",
            f"i8[1,4,6,2]{_Q}",
            "resize_bilinear(%x) {size=[4,6], half_pixel_centers=true}",
        ),
    )


GRAPHS: Mapping[str, str] = dict(
    pair for family in (_functions, _arithmetic, _layers, _moves, _reductions) for pair in family()
)
