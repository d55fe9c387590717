"""FoldQuantization of blocks of transformers: nothing of them stays float32."""

import math
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from tinsmith_ir import Graph, Pipeline, parse_graph
from tinsmith_ir.dtypes import DType
from tinsmith_ir.testing import random_inputs
from tinsmith_qdq import FoldQuantization, remaining

TOKENS, WIDTH = 5, 8


class Block:
    """IR text of a block in which each result is quantized, and read dequantized, as quantizers of activations do."""

    def __init__(self) -> None:
        self.random = np.random.default_rng(0)
        rows = shape_text((1, TOKENS, WIDTH))
        self.lines = [f"input %x_i: i8{rows}<0.05, 3>", f"%x: f32{rows} = dequantize(%x_i)"]

    def constant(self, name: str, numbers: Sequence[float], shape: Sequence[int]) -> None:
        self.lines.append(f"const %{name}: f32{shape_text(shape)} = {list(numbers)}")

    def real(self, name: str, shape: Sequence[int], apply: str) -> None:
        self.lines.append(f"%{name}: f32{shape_text(shape)} = {apply}")

    def quantized(
        self, name: str, shape: Sequence[int], apply: str, scale: float, zero_point: int = 0
    ) -> None:
        text = shape_text(shape)
        self.real(f"{name}_r", shape, apply)
        quantize = f"quantize(%{name}_r) {{halves_to_even=true}}"
        self.lines.append(f"%{name}_i: i8{text}<{scale}, {zero_point}> = {quantize}")
        self.real(name, shape, f"dequantize(%{name}_i)")

    def linear(self, name: str, source: str, inputs: int, outputs: int) -> None:
        weights = self.random.integers(-127, 128, inputs * outputs).tolist()
        shape = shape_text((outputs, inputs))
        self.lines.append(f"const %{name}_w: i8{shape}<0.01, 0> = {weights}")
        self.real(f"{name}_v", (outputs, inputs), f"dequantize(%{name}_w)")
        self.constant(f"{name}_b", self.random.normal(size=outputs).tolist(), (outputs,))
        apply = f"fully_connected(%{source}, %{name}_v, %{name}_b) {{keep_dims=true}}"
        self.quantized(name, (1, TOKENS, outputs), apply, 0.05, 1)

    def norm(self, name: str, source: str, mnemonic: str) -> None:
        factors = [f"{name}_{part}" for part in ("g", "b")][: 2 if mnemonic == "layer_norm" else 1]
        for at, factor in enumerate(factors):
            numbers = self.random.normal(1 - at, 0.3, WIDTH).tolist()
            self.constant(factor, numbers, (WIDTH,))
        given = ", ".join(f"%{factor}" for factor in factors)
        self.quantized(name, (1, TOKENS, WIDTH), f"{mnemonic}(%{source}, {given})", 0.03, -2)

    def graph(self, output: str) -> Graph:
        body = "\n".join([*self.lines, f"output %{output}_i"])
        return parse_graph(f'graph 2 "g" {{\n{body}\n}}')


def shape_text(shape: Sequence[int]) -> str:
    return f"[{','.join(map(str, shape))}]"


def split(block: Block, heads: int, source: str) -> None:
    """Queries, keys and values, each by a layer of its own."""
    size = WIDTH // heads
    for name in ("q", "k", "v"):
        block.linear(f"{name}_all", source, WIDTH, WIDTH)
        shape = (1, TOKENS, heads, size)
        block.real(f"{name}_split", shape, f"reshape(%{name}_all) {{shape={list(shape)}}}")
        turned = (1, heads, TOKENS, size)
        apply = f"transpose(%{name}_split) {{permutation=[0,2,1,3]}}"
        block.real(name, turned, apply)


def sliced(block: Block, heads: int, source: str) -> None:
    """All three by one layer, of which they are parts."""
    size = WIDTH // heads
    block.linear("all", source, WIDTH, 3 * WIDTH)
    shape = (1, TOKENS, 3, heads, size)
    block.real("split", shape, f"reshape(%all) {{shape={list(shape)}}}")
    apply = "transpose(%split) {permutation=[2,0,3,1,4]}"
    block.real("turned", (3, 1, heads, TOKENS, size), apply)
    for at, name in enumerate(("q", "k", "v")):
        one = (1, 1, heads, TOKENS, size)
        begin = f"slice(%turned) {{begin={[at, 0, 0, 0, 0]}, shape={list(one)}}}"
        block.real(f"{name}_one", one, begin)
        block.real(name, one[1:], f"reshape(%{name}_one) {{shape={list(one[1:])}}}")


def attention(
    block: Block, heads: int, scaled: str, probability: tuple[float, int], *, is_masked: bool
) -> None:
    """`attended` of `q`, `k` and `v`. is_masked: later tokens are hidden from earlier ones."""
    size = WIDTH // heads
    block.real("turned_k", (1, heads, size, TOKENS), "transpose(%k) {permutation=[0,1,3,2]}")
    scores = (1, heads, TOKENS, TOKENS)
    block.quantized("scores", scores, "batch_matmul(%q, %turned_k)", 0.3)
    root = math.sqrt(size)
    block.constant("root", [1 / root if scaled == "mul" else root], ())
    block.quantized("scaled", scores, f"{scaled}(%scores, %root)", 0.1)
    if is_masked:
        later = np.triu(np.ones((TOKENS, TOKENS)), 1) * -1e9
        block.constant("mask", later.reshape(-1).tolist(), (TOKENS, TOKENS))
        block.quantized("seen", scores, "add(%scaled, %mask)", 0.11, 3)
    given = "seen" if is_masked else "scaled"
    block.quantized("shares", scores, f"softmax(%{given})", *probability)
    heads_shape = (1, heads, TOKENS, size)
    block.quantized("mixed", heads_shape, "batch_matmul(%shares, %v)", 0.04)
    block.real("beside", (1, TOKENS, heads, size), "transpose(%mixed) {permutation=[0,2,1,3]}")
    rows = (1, TOKENS, WIDTH)
    block.real("joined", rows, f"reshape(%beside) {{shape={list(rows)}}}")
    block.linear("attended", "joined", WIDTH, WIDTH)


def feed_forward(block: Block, source: str, curve: str) -> None:
    """`given` of a source. curve: silu, erf for a GELU in parts, or what is applied to `inner`."""
    inner = (1, TOKENS, 2 * WIDTH)
    block.linear("inner", source, WIDTH, 2 * WIDTH)
    if curve == "silu":
        block.real("gate", inner, "logistic(%inner)")
        block.quantized("curved", inner, "mul(%inner, %gate)", 0.04, -100)
    elif curve == "erf":
        for name, number in (("root_2", math.sqrt(2)), ("one", 1.0), ("half", 0.5)):
            block.constant(name, [number], ())
        block.real("share", inner, "div(%inner, %root_2)")
        block.real("error", inner, "erf(%share)")
        block.real("raised", inner, "add(%error, %one)")
        block.real("product", inner, "mul(%inner, %raised)")
        block.quantized("curved", inner, "mul(%product, %half)", 0.04, -100)
    else:
        block.quantized("curved", inner, curve, 0.04, -100)
    block.linear("given", "curved", 2 * WIDTH, WIDTH)


@pytest.mark.parametrize("heads", [1, 2, 4])
@pytest.mark.parametrize("parts", [split, sliced])
@pytest.mark.parametrize(
    ("norm", "curve", "scaled", "probability"),
    [
        ("layer_norm", "gelu(%inner)", "mul", (1 / 256, -128)),
        ("rms_norm", "silu", "div", (0.0035, -120)),
        ("layer_norm", "erf", "mul", (0.0039, -128)),
        ("layer_norm", "gelu(%inner) {approximate=true}", "div", (1 / 256, -128)),
    ],
)
def test_a_block_of_a_transformer_has_integers_only(
    heads: int,
    parts: Callable[[Block, int, str], None],
    norm: str,
    curve: str,
    scaled: str,
    probability: tuple[float, int],
) -> None:
    block, rows = Block(), (1, TOKENS, WIDTH)
    block.norm("first", "x", norm)
    parts(block, heads, "first")
    attention(block, heads, scaled, probability, is_masked=curve == "silu")
    block.quantized("sum", rows, "add(%x, %attended)", 0.08)
    block.norm("second", "sum", norm)
    feed_forward(block, "second", curve)
    block.quantized("result", rows, "add(%sum, %given)", 0.1)
    before = block.graph("result")
    after = Pipeline([FoldQuantization()]).run(before, random_inputs(before, seed=1)).graph
    assert not remaining(after)
    used = {
        value.type.dtype for node in after.nodes for value in (*node.inputs, *node.outputs) if value
    }
    assert used <= {DType.INT8, DType.INT16, DType.INT32}
