"""Graphs to export, for tests and tools: small ones of every operator that ONNX can say, as IR text whose constants may
be `random`; and the nodes of larger ones, each by itself.
"""

import base64
import re
import zlib
from collections.abc import Iterator, Mapping

import numpy as np
from tinsmith_ir import Array, DType, Graph, Node, TensorType, evaluate_graph, parse_graph
from tinsmith_ir.operators import Rescaling
from tinsmith_ir.testing import random_inputs

_RANDOM = re.compile(r"const (%\w+): (\w+)\[([\d,]*)\](.*?) = random", re.ASCII)


def graph_of(name: str, text: str) -> Graph:
    """The graph of the lines of a case; `random` constants are the same each time."""
    body = _RANDOM.sub(lambda found: _filled(name, found), text)
    return parse_graph(f'graph 2 "{name}" {{\n{body}\n}}')


def _filled(name: str, found: re.Match[str]) -> str:
    constant, dtype, sizes, rest = found.groups()
    shape = [int(size) for size in sizes.split(",") if size]
    generator = np.random.default_rng(zlib.crc32(f"{name} {constant}".encode()))
    match DType(dtype):
        case DType.FLOAT32:
            data = generator.standard_normal(shape, np.float32).tobytes()
        case DType.INT32:
            data = generator.integers(-300, 301, shape).astype("<i4").tobytes()
        case DType.INT4 | DType.INT2 as kind:
            data = generator.bytes(TensorType(tuple(shape), kind).size_bytes)
        case kind:
            data = generator.bytes(int(np.prod(shape)) * kind.size_bytes)
    text = base64.b64encode(data).decode()
    return f'const {constant}: {dtype}[{sizes}]{rest} = base64 "{text}"'


def _of_one(mnemonic: str, types: str, attributes: str = "") -> str:
    """One operator. types: of operands and result, between blanks."""
    *operands, result = types.split()
    lines = [f"input %x{at}: {type_}" for at, type_ in enumerate(operands)]
    names = ", ".join(f"%x{at}" for at in range(len(operands)))
    tail = f" {{{attributes}}}" if attributes else ""
    return "\n".join([*lines, f"%y: {result} = {mnemonic}({names}){tail}", "output %y"])


_FLOATS = "f32[1,3,4,5] f32[1,3,4,5]"
_INTEGERS = "i8[1,3,4,5]<0.03,4> i8[1,3,4,5]<0.031,-7>"
_SHORTS = "i16[1,3,4,5]<0.0003,0> i16[1,3,4,5]<0.0002,0>"

_FUNCTIONS = {
    **dict.fromkeys(
        ("abs", "exp", "elu", "gelu", "hard_swish", "logistic", "tanh", "relu", "relu6"),
        (_FLOATS, _INTEGERS),
    ),
    **dict.fromkeys(("relu_n1_to_1", "relu_0_to_1"), (_FLOATS, _INTEGERS)),
    **dict.fromkeys(("erf", "neg", "sign", "square", "ceil", "floor", "round"), (_FLOATS,)),
    **dict.fromkeys(("sin", "cos", "tan", "asinh", "atan", "sinh", "cosh"), (_FLOATS,)),
}

_TWO = {
    "add": (
        "f32[1,3,4,5] f32[1,3,4,5] f32[1,3,4,5]",
        "i8[1,3,4,5]<0.03,4> i8[5]<0.02,-9> i8[1,3,4,5]<0.04,1>",
        "i16[2,5]<0.0003,0> i16[2,5]<0.0002,0> i16[2,5]<0.0004,0>",
        "i32[2,5] i32[5] i32[2,5]",
    ),
    "sub": (
        "f32[1,3,4,5] f32[4,1] f32[1,3,4,5]",
        "i8[1,3,4,5]<0.03,4> i8[1,1,1,5]<0.02,-9> i8[1,3,4,5]<0.04,1>",
        "i64[2,5] i64[2,1] i64[2,5]",
    ),
    "mul": (
        "f32[1,3,4,5] f32[] f32[1,3,4,5]",
        "i8[1,3,4,5]<0.03,4> i8[1,3,4,5]<0.02,-9> i8[1,3,4,5]<0.06,1>",
        "i32[2,5] i32[5] i32[2,5]",
    ),
    "minimum": (
        "f32[2,5] f32[5] f32[2,5]",
        "i8[2,5]<0.03,4> i8[2,5]<0.03,4> i8[2,5]<0.03,4>",
        "i16[2,5]<0.03,0> i16[2,5]<0.03,0> i16[2,5]<0.03,0>",
        "bool[2,5] bool[2,5] bool[2,5]",
        "i64[2,5] i64[2,5] i64[2,5]",
    ),
    "maximum": (
        "f32[2,5] f32[2,1] f32[2,5]",
        "i8[2,5]<0.03,4> i8[2,5]<0.03,4> i8[2,5]<0.03,4>",
        "bool[2,5] bool[2,5] bool[2,5]",
    ),
    "squared_difference": (
        "f32[2,5] f32[5] f32[2,5]",
        "i8[2,5]<0.03,4> i8[2,5]<0.02,-9> i8[2,5]<0.1,-128>",
        "i32[2,5] i32[2,5] i32[2,5]",
    ),
    "div": ("f32[2,5] f32[2,5] f32[2,5]", "i32[20,5] i32[20,5] i32[20,5]"),
    "floor_div": ("f32[2,5] f32[2,5] f32[2,5]", "i32[20,5] i32[20,5] i32[20,5]"),
    "floor_mod": ("f32[2,5] f32[2,5] f32[2,5]", "i64[20,5] i64[20,5] i64[20,5]"),
    "prelu": (
        "f32[1,3,4,5] f32[5] f32[1,3,4,5]",
        "i8[1,3,4,5]<0.03,4> i8[1,1,5]<0.01,3> i8[1,3,4,5]<0.03,5>",
    ),
}

_REDUCED = {
    "mean": ("f32", "i8", "i16"),
    "sum": ("f32", "i8", "i32"),
    "reduce_max": ("f32", "i8", "i16", "i32", "bool"),
    "reduce_min": ("f32", "i8", "i64", "bool"),
    "reduce_prod": ("f32",),
}
_SCALES = {"i8": ("<0.03,4>", "<0.02,-9>"), "i16": ("<0.0003,0>", "<0.0002,0>")}


def _reduced() -> Mapping[str, str]:
    found: dict[str, str] = {}
    for name, dtypes in _REDUCED.items():
        for dtype in dtypes:
            given, made = _SCALES.get(dtype, ("", ""))
            made = made if name in ("mean", "sum") else given
            kept = f"{dtype}[1,3,4,5]{given} {dtype}[1,1,1,5]{made}"
            found[f"{name} {dtype}"] = _of_one(name, kept, "axes=[1,2], keep_dims=true")
            lost = f"{dtype}[2,3,4,5]{given} {dtype}[2,4]{made}"
            found[f"{name} {dtype} of other axes"] = _of_one(name, lost, "axes=[1,3]")
    return found


def _by_type(table: Mapping[str, tuple[str, ...]]) -> Mapping[str, str]:
    return {
        f"{name} {types.split()[0].split('[')[0]}": _of_one(name, types)
        for name, choices in table.items()
        for types in choices
    }


_LAYERS = {
    "conv2d f32": """
      input %x: f32[1,7,6,3]
      const %w: f32[4,3,3,3] = random
      const %b: f32[4] = random
      %y: f32[1,4,3,4] = conv2d(%x, %w, %b) {stride=[2,2], padding=[1,1,1,1], activation=relu6}
      output %y""",
    "conv2d i8": """
      input %x: i8[2,7,6,3]<0.05,7>
      const %w: i8[4,3,2,3]<[0.01,0.02,0.03,0.005],[0,0,0,0],axis 0> = random
      const %b: i32[4] = random
      %y: i8[2,5,5,4]<0.4,-3> = conv2d(%x, %w, %b) {dilation=[1,2], padding=[0,0,0,1], activation=relu}
      output %y""",
    "conv2d i8 in groups": """
      input %x: i8[1,5,5,4]<0.05,7>
      const %w: i8[6,3,3,2]<0.02,5> = random
      %y: i8[1,3,3,6]<0.4,-3> = conv2d(%x, %w, none)
      output %y""",
    "conv2d i8 by i4": """
      input %x: i8[1,5,5,3]<0.05,7>
      const %w: i4[3,3,3,3]<[0.1,0.2,0.15],[0,0,0],axis 0> = random
      const %b: i32[3] = random
      %y: i8[1,3,3,3]<0.4,-3> = conv2d(%x, %w, %b)
      output %y""",
    "conv2d i8 by i2": """
      input %x: i8[1,5,5,3]<0.05,7>
      const %w: i2[3,3,3,3]<[0.4,0.5,0.3],[0,0,0],axis 0> = random
      const %b: i32[3] = random
      %y: i8[1,3,3,3]<0.4,-3> = conv2d(%x, %w, %b)
      output %y""",
    "conv2d i16": """
      input %x: i16[1,5,5,3]<0.0005,0>
      const %w: i8[4,3,3,3]<[0.01,0.02,0.03,0.005],[0,0,0,0],axis 0> = random
      const %b: i32[4] = random
      %y: i16[1,3,3,4]<0.005,0> = conv2d(%x, %w, %b)
      output %y""",
    "depthwise_conv2d f32": """
      input %x: f32[1,6,6,3]
      const %w: f32[1,3,3,6] = random
      const %b: f32[6] = random
      %y: f32[1,4,4,6] = depthwise_conv2d(%x, %w, %b) {activation=relu_n1_to_1}
      output %y""",
    "depthwise_conv2d i8": """
      input %x: i8[1,6,6,4]<0.05,7>
      const %w: i8[1,3,3,4]<[0.01,0.02,0.03,0.005],[0,0,0,0],axis 3> = random
      const %b: i32[4] = random
      %y: i8[1,3,3,4]<0.1,-3> = depthwise_conv2d(%x, %w, %b) {stride=[2,2], padding=[0,1,0,1]}
      output %y""",
    "conv3d f32": """
      input %x: f32[1,4,5,6,2]
      const %w: f32[2,3,3,2,3] = random
      const %b: f32[3] = random
      %y: f32[1,3,5,4,3] = conv3d(%x, %w, %b) {padding=[0,0,1,1,0,0], activation=relu}
      output %y""",
    "fully_connected f32": """
      input %x: f32[2,2,3]
      const %w: f32[4,6] = random
      const %b: f32[4] = random
      %y: f32[2,4] = fully_connected(%x, %w, %b) {activation=relu}
      output %y""",
    "fully_connected f32 with its dimensions": """
      input %x: f32[2,3,6]
      const %w: f32[4,6] = random
      const %b: f32[4] = random
      %y: f32[2,3,4] = fully_connected(%x, %w, %b) {keep_dims=true}
      output %y""",
    "fully_connected i8": """
      input %x: i8[2,6]<0.05,7>
      const %w: i8[4,6]<0.02,0> = random
      const %b: i32[4] = random
      %y: i8[2,4]<0.2,-3> = fully_connected(%x, %w, %b)
      output %y""",
    "fully_connected i8 with its dimensions": """
      input %x: i8[1,3,6]<0.05,7>
      const %w: i8[4,6]<[0.01,0.02,0.03,0.005],[0,0,0,0],axis 0> = random
      const %b: i32[4] = random
      %y: i8[1,3,4]<0.2,-3> = fully_connected(%x, %w, %b) {keep_dims=true}
      output %y""",
    "fully_connected i8 by i4": """
      input %x: i8[2,6]<0.05,7>
      const %w: i4[3,6]<0.2,0> = random
      %y: i8[2,3]<0.2,-3> = fully_connected(%x, %w, none)
      output %y""",
    "fully_connected i8 by i2": """
      input %x: i8[2,6]<0.05,7>
      const %w: i2[3,6]<0.4,0> = random
      %y: i8[2,3]<0.2,-3> = fully_connected(%x, %w, none)
      output %y""",
    "blockwise_fully_connected rows": """
      input %x: i8[3,20]<0.05,7>
      const %w: i4[5,20]<[0.02,0.01,0.03,0.05,0.01],[0,0,0,0,0],axis 0> = random
      const %b: i32[5] = random
      const %m: u8[5,3] = [1, 255, 0, 3, 2, 5, 128, 64, 1, 9, 8, 200, 1, 1, 2]
      %y: i8[3,5]<4.0,-3> = blockwise_fully_connected(%x, %w, %b, %m) {block=8, rounding=nearest, activation=relu}
      output %y""",
    "blockwise_fully_connected pixels": """
      input %x: i8[1,4,3,32]<0.05,7>
      const %w: i4[4,32]<0.02,0> = random
      const %m: u8[4,2] = [1, 15, 7, 3, 2, 5, 11, 9]
      %y: i8[1,4,3,4]<0.4,-3> = blockwise_fully_connected(%x, %w, none, %m) {block=16, keep_dims=true, rounding=nearest}
      output %y""",
    "blockwise_fully_connected sequence": """
      input %x: i8[2,7,32]<0.05,7>
      const %w: i2[4,32]<0.05,0> = random
      const %b: i32[4] = random
      const %m: u8[4,2] = [1, 15, 7, 3, 2, 5, 11, 9]
      %y: i8[2,7,4]<0.4,-3> = blockwise_fully_connected(%x, %w, %b, %m) {block=16, keep_dims=true, rounding=nearest}
      output %y""",
    "lstm f32": """
      input %x: f32[2,5,3]
      input %h: f32[2,4]
      input %c: f32[2,4]
      const %w0: f32[4,3] = random
      const %w1: f32[4,3] = random
      const %w2: f32[4,3] = random
      const %w3: f32[4,3] = random
      const %r0: f32[4,4] = random
      const %r1: f32[4,4] = random
      const %r2: f32[4,4] = random
      const %r3: f32[4,4] = random
      const %b0: f32[4] = random
      const %b1: f32[4] = random
      const %b2: f32[4] = random
      const %b3: f32[4] = random
      const %p0: f32[4] = random
      const %p1: f32[4] = random
      const %p2: f32[4] = random
      %y: f32[2,5,4], %h1: f32[2,4], %c1: f32[2,4] = lstm(%x, %h, %c, %w0, %w1, %w2, %w3, %r0, %r1, %r2, %r3,
        %b0, %b1, %b2, %b3, %p0, %p1, %p2, none, none) {backwards=true}
      output %y
      output %h1
      output %c1""",
    "lstm f32 of computed weights": """
      input %x: f32[2,5,3]
      input %h: f32[2,4]
      input %c: f32[2,4]
      const %w0: f32[4,3] = random
      input %w1: f32[4,3]
      const %w2: f32[4,3] = random
      const %w3: f32[4,3] = random
      input %r0: f32[4,4]
      const %r1: f32[4,4] = random
      const %r2: f32[4,4] = random
      const %r3: f32[4,4] = random
      const %b0: f32[4] = random
      const %b1: f32[4] = random
      const %b2: f32[4] = random
      input %b3: f32[4]
      const %p0: f32[4] = random
      input %p1: f32[4]
      const %p2: f32[4] = random
      %y: f32[2,5,4], %h1: f32[2,4], %c1: f32[2,4] = lstm(%x, %h, %c, %w0, %w1, %w2, %w3, %r0, %r1, %r2, %r3,
        %b0, %b1, %b2, %b3, %p0, %p1, %p2, none, none) {backwards=true}
      output %y
      output %h1
      output %c1""",
    "lstm f32 without an input gate": """
      input %x: f32[5,2,3]
      input %h: f32[2,4]
      input %c: f32[2,4]
      const %w1: f32[4,3] = random
      const %w2: f32[4,3] = random
      const %w3: f32[4,3] = random
      const %r1: f32[4,4] = random
      const %r2: f32[4,4] = random
      const %r3: f32[4,4] = random
      const %b1: f32[4] = random
      const %b2: f32[4] = random
      const %b3: f32[4] = random
      const %p1: f32[4] = random
      const %p2: f32[4] = random
      %y: f32[5,2,4], %h1: f32[2,4], %c1: f32[2,4] = lstm(%x, %h, %c, none, %w1, %w2, %w3, none, %r1, %r2, %r3,
        none, %b1, %b2, %b3, none, %p1, %p2, none, none) {time_major=true}
      output %y
      output %h1
      output %c1""",
    "svdf f32": """
      input %s: f32[2,12]
      input %x: f32[2,5]
      const %w: f32[4,5] = random
      const %t: f32[4,3] = random
      const %b: f32[2] = random
      %n: f32[2,12] = svdf_state(%s, %x, %w)
      %y: f32[2,2] = svdf(%n, %t, %b) {rank=2, activation=relu}
      output %n
      output %y""",
    "svdf i8": """
      input %s: i16[2,12]<0.0005,0>
      const %t: i16[4,3]<0.001,0> = [100,-200,30,400,500,-60,7,800,-90,100,11,120]
      const %b: i32[2] = random
      %y: i8[2,2]<0.3,2> = svdf(%s, %t, %b) {rank=2}
      output %y""",
    "svdf_state i8": """
      input %s: i16[2,12]<0.0005,0>
      input %x: i8[2,5]<0.02,3>
      const %w: i8[4,5]<0.01,0> = random
      %n: i16[2,12]<0.0005,0> = svdf_state(%s, %x, %w)
      output %n""",
}

_SUMS = {
    "dynamic_scale f32": _of_one("dynamic_scale", "f32[3,2,5] f32[3,1,1]"),
    "dynamic_scale f32 symmetric": _of_one("dynamic_scale", "f32[3,5] f32[3,1]", "symmetric=true"),
    "dynamic_quantize f32": _of_one("dynamic_quantize", "f32[3,2,5] i16[3,2,5]<1.0,0>"),
    "dynamic_quantize f32 symmetric": _of_one(
        "dynamic_quantize", "f32[3,5] i16[3,5]<1.0,0>", "symmetric=true"
    ),
    "channel_sums i8": _of_one("channel_sums", "i8[1,3,4,5]<0.1,3> i32[1,1,1,5] i32[1,1,1,5]"),
    "average_of_sums": _of_one("average_of_sums", "i32[1,1,1,5] i8[1,1,1,5]<0.1,3>", "count=12"),
    "mean_of_sums": _of_one(
        "mean_of_sums",
        "i32[2,1,1,5] i8[2,5]<0.1,3>",
        "count=12, scale=0.2, zero_point=-5, keep_dims=false",
    ),
    "conv2d i8 to sums": """
      input %x: i8[1,5,5,3]<0.05,7>
      const %w: i8[4,3,3,3]<[0.01,0.02,0.03,0.005],[0,0,0,0],axis 0> = random
      const %b: i32[4] = random
      %s: i32[1,3,3,4]<[0.0005,0.001,0.0015,0.00025],[0,0,0,0],axis 3> = conv2d(%x, %w, %b) {accumulator=i32}
      output %s""",
    "fully_connected i8 to sums": """
      input %x: i8[2,2,3]<0.0625,7>
      const %w: i8[4,6]<0.015625,0> = random
      const %b: i32[4] = random
      %s: i32[2,4]<0.0009765625,0> = fully_connected(%x, %w, %b) {accumulator=i32}
      output %s""",
}

_QDQ = {
    "a layer between quantize and dequantize": """
      input %x: f32[1,5,5,3]
      const %w: i8[4,3,3,3]<1.0,0> = random
      const %s: f32[4,1,1,1] = [0.01, 0.02, 0.005, 0.03]
      const %b: f32[4] = random
      %xq: i8[1,5,5,3]<0.02,5> = quantize(%x) {halves_to_even=true}
      %xr: f32[1,5,5,3] = dequantize(%xq)
      %wi: f32[4,3,3,3] = dequantize(%w)
      %wr: f32[4,3,3,3] = mul(%wi, %s)
      %r: f32[1,3,3,4] = conv2d(%xr, %wr, %b) {activation=relu}
      %q: i8[1,3,3,4]<0.05,-128> = quantize(%r) {halves_to_even=true}
      output %q""",
    "a product with weights of few bits": """
      input %x: i8[2,6]<0.02,5>
      const %w: i8[3,6]<1.0,0> = [7,-8,1,2,3,4,5,6,7,-1,-2,-3,0,1,2,-7,6,5]
      const %s: f32[3,1] = [0.1, 0.2, 0.15]
      const %b: f32[3] = random
      %xr: f32[2,6] = dequantize(%x)
      %wi: f32[3,6] = dequantize(%w)
      %wr: f32[3,6] = mul(%wi, %s)
      %r: f32[2,3] = fully_connected(%xr, %wr, %b)
      %q: i8[2,3]<0.05,3> = quantize(%r) {halves_to_even=true}
      output %q""",
}

_REST = {
    "relu i16": _of_one("relu", _SHORTS),
    "logistic i16": _of_one("logistic", "i16[2,5]<0.0003,0> i16[2,5]<0.000030517578125,0>"),
    "rsqrt f32": """
      input %x: f32[2,5]
      %p: f32[2,5] = square(%x)
      %y: f32[2,5] = rsqrt(%p)
      output %y""",
    "rsqrt i8": _of_one("rsqrt", "i8[256]<0.03,-128> i8[256]<0.02,-128>"),
    "sqrt, log and pow of what is above zero": """
      input %x: f32[2,5]
      const %e: f32[5] = random
      %p: f32[2,5] = exp(%x)
      %s: f32[2,5] = sqrt(%p)
      %l: f32[2,5] = log(%p)
      %y: f32[2,5] = pow(%p, %e)
      %above: f32[2,5] = cosh(%x)
      %h: f32[2,5] = acosh(%above)
      output %h
      output %s
      output %l
      output %y""",
    "asin, acos and atanh of what is below one": """
      input %x: f32[2,5]
      %p: f32[2,5] = tanh(%x)
      %s: f32[2,5] = asin(%p)
      %l: f32[2,5] = acos(%p)
      %y: f32[2,5] = atanh(%p)
      output %s
      output %l
      output %y""",
    "abs i32": _of_one("abs", "i32[2,5] i32[2,5]"),
    "neg i64": _of_one("neg", "i64[2,5] i64[2,5]"),
    "sign i32": _of_one("sign", "i32[2,5] i32[2,5]"),
    "gelu by tanh f32": _of_one("gelu", _FLOATS, "approximate=true"),
    "leaky_relu f32": _of_one("leaky_relu", _FLOATS, "alpha=0.2"),
    "leaky_relu i8": _of_one("leaky_relu", _INTEGERS, "alpha=0.2"),
    "leaky_relu i16": _of_one("leaky_relu", _SHORTS, "alpha=0.2"),
    "lookup i8": _of_one(
        "lookup",
        "i8[1,256]<0.1,3> i8[1,256]<0.2,5>",
        f"values={[(at * 37 + 11) % 256 - 128 for at in range(256)]}",
    ),
    "add i8 that is clamped": _of_one(
        "add", "i8[2,5]<0.03,4> i8[2,5]<0.02,-9> i8[2,5]<0.04,1>", "activation=relu6"
    ),
    "add i32 that is clamped": _of_one("add", "i32[2,5] i32[2,5] i32[2,5]", "activation=relu"),
    "div f32 that is clamped": _of_one(
        "div", "f32[2,5] f32[2,5] f32[2,5]", "activation=relu_n1_to_1"
    ),
    "batch_matmul f32": _of_one("batch_matmul", "f32[2,3,4] f32[4,5] f32[2,3,5]"),
    "batch_matmul f32 turned": _of_one(
        "batch_matmul",
        "f32[1,2,4,3] f32[1,2,5,4] f32[1,2,3,5]",
        "transpose_lhs=true, transpose_rhs=true",
    ),
    "batch_matmul i8": _of_one(
        "batch_matmul",
        "i8[2,3,4]<0.05,3> i8[2,5,4]<0.02,-4> i8[2,3,5]<0.1,1>",
        "transpose_rhs=true",
    ),
    "average_pool2d f32": _of_one(
        "average_pool2d",
        "f32[1,6,7,3] f32[1,3,4,3]",
        "window=[3,3], stride=[2,2], padding=[0,1,1,1], activation=relu",
    ),
    "average_pool2d i8": _of_one(
        "average_pool2d",
        "i8[1,6,7,3]<0.03,4> i8[1,3,4,3]<0.03,4>",
        "window=[3,3], stride=[2,2], padding=[0,1,1,1]",
    ),
    "max_pool2d f32": _of_one(
        "max_pool2d", "f32[1,6,7,3] f32[1,3,3,3]", "window=[2,2], stride=[2,2], padding=[0,0,0,0]"
    ),
    "max_pool2d i8": _of_one(
        "max_pool2d",
        "i8[1,6,7,3]<0.03,4> i8[1,7,8,3]<0.03,4>",
        "window=[2,2], padding=[1,1,1,1], activation=relu",
    ),
    "max_pool2d i16": _of_one(
        "max_pool2d", "i16[1,6,7,3]<0.03,0> i16[1,5,6,3]<0.03,0>", "window=[2,2]"
    ),
    "resize_bilinear f32": _of_one(
        "resize_bilinear", "f32[1,3,4,2] f32[1,5,9,2]", "size=[5,9], half_pixel_centers=true"
    ),
    "resize_bilinear f32 of corners": _of_one(
        "resize_bilinear", "f32[1,3,4,2] f32[1,5,9,2]", "size=[5,9], align_corners=true"
    ),
    "resize_bilinear f32 from the first": _of_one(
        "resize_bilinear", "f32[1,5,4,2] f32[1,3,9,2]", "size=[3,9]"
    ),
    "resize_bilinear i8": _of_one(
        "resize_bilinear",
        "i8[1,3,4,2]<0.03,4> i8[1,5,9,2]<0.03,4>",
        "size=[5,9], half_pixel_centers=true",
    ),
    "softmax f32": _of_one("softmax", "f32[2,3,5] f32[2,3,5]", "beta=0.5"),
    "softmax i8": _of_one("softmax", "i8[2,9]<0.05,4> i8[2,9]<0.00390625,-128>"),
    "log_softmax f32": _of_one("log_softmax", "f32[1,2,3,5] f32[1,2,3,5]"),
    "log_softmax i8": _of_one("log_softmax", "i8[2,9]<0.05,4> i8[2,9]<0.0625,127>"),
    "l2_normalization f32": _of_one("l2_normalization", "f32[2,9] f32[2,9]"),
    "l2_normalization i8": _of_one("l2_normalization", "i8[2,9]<0.05,4> i8[2,9]<0.0078125,0>"),
    "layer_norm f32": """
      input %x: f32[2,3,6]
      const %g: f32[6] = [0.5, -1.0, 2.0, 1.0, 0.25, 3.0]
      const %b: f32[6] = [1.0, 0.0, -2.0, 0.5, 0.25, -0.125]
      %y: f32[2,3,6] = layer_norm(%x, %g, %b)
      %z: f32[2,3,6] = layer_norm(%y, none, none) {epsilon=0.01}
      output %z
    """,
    "layer_norm i8": """
      input %x: i8[3,6]<0.05, 4>
      const %g: i32[6]<0.0001220703125, 0> = [4096, -8192, 16384, 8192, 2048, 24576]
      const %b: i32[6]<0.015625, 0> = [64, 0, -128, 32, 16, -8]
      %y: i8[3,6]<0.03125, 4> = layer_norm(%x, %g, %b)
      output %y
    """,
    "rms_norm f32": """
      input %x: f32[2,3,6]
      const %g: f32[6] = [0.5, -1.0, 2.0, 1.0, 0.25, 3.0]
      %y: f32[2,3,6] = rms_norm(%x, %g)
      %z: f32[2,3,6] = rms_norm(%y, none) {epsilon=0.01}
      output %z
    """,
    "rms_norm i8": """
      input %x: i8[3,6]<0.05, 4>
      const %g: i32[6]<0.0001220703125, 0> = [4096, -8192, 16384, 8192, 2048, 24576]
      %y: i8[3,6]<0.03125, 4> = rms_norm(%x, %g)
      output %y
    """,
    "reshape i8": _of_one("reshape", "i8[2,6]<0.1,3> i8[1,3,2,2]<0.1,3>", "shape=[1,3,2,2]"),
    "pad f32": _of_one("pad", "f32[1,2,3,2] f32[1,4,4,2]", "padding=[0,0,1,1,0,1,0,0]"),
    "pad f32 by a number": _of_one(
        "pad", "f32[1,2,3,2] f32[1,4,4,2]", "padding=[0,0,1,1,0,1,0,0], value=1.5"
    ),
    "pad i8": _of_one("pad", "i8[1,2,3,2]<0.1,7> i8[1,4,4,2]<0.1,7>", "padding=[0,0,1,1,0,1,0,0]"),
    "pad i16": _of_one("pad", "i16[2,3]<0.1,0> i16[3,4]<0.1,0>", "padding=[1,0,0,1], value=9"),
    "pad i32": _of_one("pad", "i32[2,3] i32[3,4]", "padding=[1,0,0,1], value=9"),
    "slice i8": _of_one(
        "slice",
        "i8[1,6,5,4]<0.1,7> i8[1,3,5,4]<0.1,7>",
        "begin=[0,5,0,3], shape=[1,3,5,4], strides=[1,-2,1,-1]",
    ),
    "slice i16 of all": _of_one(
        "slice", "i16[2,3]<0.1,0> i16[2,3]<0.1,0>", "begin=[0,0], shape=[2,3]"
    ),
    "transpose bool": _of_one("transpose", "bool[2,3,4] bool[4,2,3]", "permutation=[2,0,1]"),
    "concat i8": _of_one(
        "concat", "i8[1,2,2,3]<0.1,7> i8[1,2,2,2]<0.1,7> i8[1,2,2,5]<0.1,7>", "axis=3"
    ),
    "concat i8 of other scales": _of_one(
        "concat", "i8[1,2,2,3]<0.1,7> i8[1,2,2,2]<0.2,9> i8[1,2,2,5]<0.15,0>", "axis=3"
    ),
    "concat f32": _of_one("concat", "f32[2,3] f32[1,3] f32[3,3]", "axis=0, activation=relu"),
    "gather i8": _of_one("gather", "i8[2,5]<0.1,7> i32[3] i8[2,3]<0.1,7>", "axis=1"),
    "gather f32 of places": """
      input %x: f32[2,5,3]
      const %i: i32[2,2] = [-1, 0, 3, 9]
      %y: f32[2,2,2,3] = gather(%x, %i) {axis=1}
      output %y""",
    "broadcast i8": _of_one(
        "broadcast", "i8[1,3,1,2]<0.1,7> i8[1,3,4,2]<0.1,7>", "shape=[1,3,4,2]"
    ),
    "broadcast f32": _of_one("broadcast", "f32[3,1] f32[2,3,4]", "shape=[2,3,4]"),
    "cast f32 to i8": _of_one("cast", "f32[2,50] i8[2,50]", "dtype=i8"),
    "cast f32 to i32": _of_one("cast", "f32[2,5] i32[2,5]", "dtype=i32"),
    "cast i32 to i8": _of_one("cast", "i32[2,50] i8[2,50]", "dtype=i8"),
    "cast i8 to another scale": _of_one("cast", "i8[2,5]<0.5,3> i8[2,5]<0.25,1>", "dtype=i8"),
    "cast i8 to f32": _of_one("cast", "i8[2,5]<0.5,3> f32[2,5]", "dtype=f32"),
    "cast i32 to bool": _of_one("cast", "i32[2,5] bool[2,5]", "dtype=bool"),
    "compare f32": _of_one("compare", "f32[2,5] f32[5] bool[2,5]", "relation=less"),
    "compare i8": _of_one(
        "compare", "i8[20,5]<0.1,3> i8[5]<0.1,3> bool[20,5]", "relation=less_equal"
    ),
    "compare i8 of other scales": _of_one(
        "compare", "i8[2,5]<0.1,3> i8[5]<0.37,-3> bool[2,5]", "relation=less"
    ),
    "compare i32": _of_one("compare", "i32[2,5] i32[5] bool[2,5]", "relation=not_equal"),
    "compare bool": _of_one("compare", "bool[2,5] bool[5] bool[2,5]", "relation=less"),
    "select f32": _of_one("select", "bool[2,5] f32[5] f32[2,5] f32[2,5]"),
    "select i8": _of_one("select", "bool[2,5] i8[5]<0.1,3> i8[2,5]<0.1,3> i8[2,5]<0.1,3>"),
    "select i16": _of_one("select", "bool[2,5] i16[5]<0.1,0> i16[2,5]<0.1,0> i16[2,5]<0.1,0>"),
    "select bool": _of_one("select", "bool[2,5] bool[5] bool[2,5] bool[2,5]"),
    "quantize i8": _of_one("quantize", "f32[1,3,4,5] i8[1,3,4,5]<0.02,3>", "halves_to_even=true"),
    "quantize u8": _of_one(
        "quantize", "f32[1,3,4,5] u8[1,3,4,5]<0.02,120>", "dtype=u8, halves_to_even=true"
    ),
    "quantize i16": _of_one(
        "quantize", "f32[1,3,4,5] i16[1,3,4,5]<0.0001,0>", "dtype=i16, halves_to_even=true"
    ),
    "dequantize u8": _of_one("dequantize", "u8[1,3,4,5]<0.02,120> f32[1,3,4,5]"),
    "dequantize i16": _of_one("dequantize", "i16[1,3,4,5]<0.0001,0> f32[1,3,4,5]"),
    "requantize i8": _of_one("requantize", "i8[2,5]<0.02,3> i8[2,5]<0.03,-4>", "activation=relu"),
    "requantize i16 to i8": _of_one("requantize", "i16[2,5]<0.0002,0> i8[2,5]<0.03,-4>"),
    "requantize i8 to i32": _of_one("requantize", "i8[2,5]<0.02,3> i32[2,5]<0.001,5>", "dtype=i32"),
    "requantize i32": _of_one("requantize", "i32[2,5]<0.002,0> i8[2,5]<0.03,-4>"),
    "float_rescale": _of_one("float_rescale", "i8[2,5]<0.02,3> i8[2,5]<0.03,-4>"),
    "reduce_prod i32": _of_one("reduce_prod", "i32[2,3,4] i32[2,3]", "axes=[2]"),
    "reduce_prod i64": _of_one("reduce_prod", "i64[2,3,4] i64[2,4]", "axes=[1]"),
    "arg_max f32": _of_one("arg_max", "f32[2,3,4,5] i32[2,3,4]", "axis=3"),
    "arg_max i8": _of_one("arg_max", "i8[2,3,4,5]<0.1,3> i32[2,4,5]", "axis=1"),
    "arg_max i16": _of_one("arg_max", "i16[2,5]<0.1,0> i32[2]", "axis=1"),
    "arg_min i64": _of_one("arg_min", "i64[2,5] i32[5]", "axis=0"),
    "top_k f32": _of_one("top_k", "f32[2,5] f32[2,3]", "count=3"),
    "top_k i8": _of_one("top_k", "i8[2,5]<0.1,3> i8[2,3]<0.1,3>", "count=3"),
    "top_k_indices i8": _of_one("top_k_indices", "i8[2,300]<0.1,3> i32[2,7]", "count=7"),
    "cumsum f32": _of_one("cumsum", "f32[2,5] f32[2,5]", "axis=1, exclusive=true, reverse=true"),
    "cumsum i32": _of_one("cumsum", "i32[1,3,4,5] i32[1,3,4,5]", "axis=3"),
}

CASES: Mapping[str, str] = {
    **_by_type(_FUNCTIONS),
    **_by_type(_TWO),
    **_reduced(),
    **_LAYERS,
    **_SUMS,
    **_QDQ,
    **_REST,
}
"""By a name that begins with the operator's. Of each operator one graph at least."""

FEW_BITS = 8
"""Multipliers of fewer bits are coarser than the scales that a file says."""


def single_nodes(graph: Graph, seed: int) -> Iterator[tuple[Graph, Mapping[str, Array]]]:
    """Each node as a graph of its own, and its operands as they are in a run of the whole on random inputs."""
    known = {**graph.constant_data, **evaluate_graph(graph, random_inputs(graph, seed), keep=True)}
    for node in graph.nodes:
        operands = {value.name: value for value in node.present_inputs}
        inputs = tuple(v for name, v in operands.items() if name not in graph.constant_data)
        if inputs:
            constants = tuple(each for each in graph.constants if each.value.name in operands)
            given = {value.name: np.asarray(known[value.name]) for value in inputs}
            yield Graph("single", inputs, node.outputs, (node,), constants), given


def is_coarse(node: Node) -> bool:
    """Whether scales are rounded to a few bits, which a file does not say."""
    operator = node.operator
    return isinstance(operator, Rescaling) and operator.multiplier_bits < FEW_BITS
