"""Quantized programs, as PT2E and torchao write them, held to PyTorch, and as integers behind the pass for it."""

import importlib
import io
from contextlib import suppress

import numpy as np
import pytest
import torch
from against_torch import check
from tinsmith_ir import DType, Graph, Pipeline, UnsupportedError, evaluate_graph
from tinsmith_layout.plugin import PLUGIN as LAYOUT
from tinsmith_qdq import FoldQuantization
from tinsmith_simplify.plugin import PLUGIN as SIMPLIFY
from tinsmith_torch import import_pt2, import_torch
from torch import Tensor, nn

importlib.import_module("torch.ao.quantization.fx._decomposed")  # which defines them
_PT2E = torch.ops.quantized_decomposed


def real(*shape: int) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(sum(shape)))


def requantized(x: Tensor, scale: float, zero_point: int) -> Tensor:
    """As int8 and back."""
    stored = _PT2E.quantize_per_tensor(x, scale, zero_point, -128, 127, torch.int8)
    return _PT2E.dequantize_per_tensor(stored, scale, zero_point, -128, 127, torch.int8)


class Quantized(nn.Module):
    """A convolution with a scale per channel, a curve, and a linear layer with one scale."""

    weights: Tensor
    scales: Tensor
    zeros: Tensor
    matrix: Tensor

    def __init__(self) -> None:
        super().__init__()
        filters, matrix = real(4, 3, 3, 3) * 0.3, real(5, 4) * 0.4
        scales = filters.abs().amax((1, 2, 3)) / 127
        stored = torch.round(filters / scales[:, None, None, None]).to(torch.int8)
        self.register_buffer("weights", stored)
        self.register_buffer("scales", scales)
        self.register_buffer("zeros", torch.zeros(4, dtype=torch.int64))
        self.register_buffer("matrix", torch.round(matrix / 0.02).clamp(-127, 127).to(torch.int8))
        self.bias = nn.Parameter(real(4) * 0.1)

    def forward(self, x: Tensor) -> Tensor:
        weights = _PT2E.dequantize_per_channel(
            self.weights, self.scales, self.zeros, 0, -127, 127, torch.int8
        )
        x = requantized(x, 0.03, 4)
        x = requantized(torch.relu(nn.functional.conv2d(x, weights, self.bias)), 0.04, -128)
        x = requantized(x.mean((2, 3)), 0.02, -128)
        matrix = _PT2E.dequantize_per_tensor(self.matrix, 0.02, 0, -127, 127, torch.int8)
        return requantized(nn.functional.linear(x, matrix), 0.03, 3)


def folded(graph: Graph) -> Graph:
    passes = [entry.kind() for entry in (*SIMPLIFY.passes, *LAYOUT.passes) if entry.runs]
    return Pipeline([FoldQuantization(), *passes, *passes]).run(graph).graph


def test_networks_of_pt2e_become_integers() -> None:
    module, x = Quantized().eval(), real(1, 3, 6, 6)
    check(module, (x,), tolerance=0.02)
    graph = folded(import_torch(module, (x,), channels_last=False))
    layers = {node.operator.mnemonic: node for node in graph.nodes}
    for name in ("conv2d", "fully_connected"):
        assert layers[name].outputs[0].type.dtype is DType.INT8
    kinds = [node.operator.mnemonic for node in graph.nodes]
    assert (kinds.count("quantize"), kinds.count("dequantize")) == (1, 1)
    (result,) = evaluate_graph(graph, [x.numpy()]).values()
    steps = np.abs(result.astype(np.float32) - module(x).detach().numpy()) / 0.03
    assert float(steps.max()) < 1.5  # one step


def test_quantized_files_are_read() -> None:
    module, x = Quantized().eval(), real(1, 3, 6, 6)
    file = io.BytesIO()
    torch.export.save(torch.export.export(module, (x,)), file)
    assert len(import_pt2(file.getvalue()).nodes) == len(import_torch(module, (x,)).nodes)


class PerChannel(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        scales, zeros = torch.tensor([0.1, 0.2, 0.05]), torch.tensor([3, 0, -7])
        stored = _PT2E.quantize_per_channel(x, scales, zeros, 1, -100, 100, torch.int8)
        return _PT2E.dequantize_per_channel(stored, scales, zeros, 1, -100, 100, torch.int8)


class Groups(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        scales, zeros = torch.tensor([[0.1, 0.2], [0.05, 0.3]]), torch.tensor([[3, 0], [-7, 1]])
        stored = _PT2E.quantize_per_channel_group(x, scales, zeros, -100, 100, torch.int8, 3)
        return _PT2E.dequantize_per_channel_group(
            stored, scales, zeros, -100, 100, torch.int8, 3, torch.float32
        )


class Tokens(nn.Module):
    """choose: what gives the scales of rows."""

    def __init__(self, choose: str) -> None:
        super().__init__()
        self.choose = getattr(_PT2E, choose)

    def forward(self, x: Tensor) -> Tensor:
        scales, zeros = self.choose(x, torch.int8)
        stored = _PT2E.quantize_per_token(x, scales, zeros, -128, 127, torch.int8)
        return _PT2E.dequantize_per_token(
            stored, scales, zeros, -128, 127, torch.int8, torch.float32
        )


class Dynamic(nn.Module):
    """choose: what gives the scale of all."""

    def __init__(self, choose: str, low: int, high: int, dtype: torch.dtype) -> None:
        super().__init__()
        self.choose = getattr(_PT2E, choose)
        self.range, self.dtype = (low, high), dtype

    def forward(self, x: Tensor) -> Tensor:
        scale, zero = self.choose(x, *self.range, 1e-7, self.dtype)
        stored = _PT2E.quantize_per_tensor(x, scale, zero, *self.range, self.dtype)
        return _PT2E.dequantize_per_tensor(stored, scale, zero, *self.range, self.dtype)


class Unsigned(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        stored = _PT2E.quantize_per_tensor(x, 0.05, 128, 0, 255, torch.uint8)
        return _PT2E.dequantize_per_tensor(stored, 0.05, 128, 0, 255, torch.uint8)


@pytest.mark.parametrize("module", [PerChannel(), Unsigned()], ids=["per channel", "uint8"])
def test_numbers_are_rounded_as_pytorch_rounds_them(module: nn.Module) -> None:
    check(module, (real(2, 3, 5) * 4,))


def test_groups_of_a_row_have_scales() -> None:
    check(Groups(), (real(2, 6) * 4,))


@pytest.mark.parametrize(
    "choose", ["choose_qparams_per_token", "choose_qparams_per_token_asymmetric"]
)
def test_rows_choose_their_scales(choose: str) -> None:
    x = real(4, 3, 7) * torch.tensor([0.01, 1.0, 30.0])[:, None]
    check(Tokens(choose), (x,), (x.abs(),), (-x.abs() - 2.0,), (torch.zeros(4, 3, 7),))


@pytest.mark.parametrize(
    "module",
    [
        Dynamic("choose_qparams", -128, 127, torch.int8),
        Dynamic("choose_qparams", 0, 255, torch.uint8),
        Dynamic("choose_qparams_symmetric", -127, 127, torch.int8),
        Dynamic("choose_qparams_symmetric", 0, 255, torch.uint8),
    ],
    ids=["int8", "uint8", "symmetric int8", "symmetric uint8"],
)
def test_runs_choose_their_scale(module: nn.Module) -> None:
    x = real(2, 3, 5)
    check(module, (x,), (x.abs() + 1.0,), (-40.0 * x.abs(),), (torch.zeros(2, 3, 5),))


class Converted(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return _PT2E.convert_element_type(x * 10.0, torch.int32)


def test_element_types_are_converted() -> None:
    check(Converted(), (real(2, 3),))


class Products(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        weights = torch.arange(-32, 32).reshape(8, 8).to(torch.int8)
        return torch.ops.aten._int_mm(x, weights)


def test_products_of_int8_are_int32() -> None:
    x = (real(20, 8) * 60).clamp(-128, 127).to(torch.int8)
    graph = check(Products(), (x,))
    assert [value.type.dtype for value in graph.outputs] == [DType.INT32]


# What torchao defines, of which only names and schemas matter here; it is in their place where it is installed.
with suppress(ImportError):
    importlib.import_module("torchao.quantization")
_TORCHAO = torch.library.Library("torchao", "FRAGMENT")
if not hasattr(torch.ops.torchao, "dequantize_affine"):
    _REST = "int? quant_min=None, int? quant_max=None"
    _TORCHAO.define(  # pyright: ignore[reportUnknownMemberType]
        "dequantize_affine(Tensor input, SymInt[] block_size, Tensor scale, Tensor? zero_point, "
        f"ScalarType input_dtype, {_REST}, ScalarType output_dtype=float) -> Tensor"
    )

    def _dequantize(
        x: Tensor, block_size: list[int], scale: Tensor, zero_point: Tensor | None, *_: object
    ) -> Tensor:
        rows, columns = block_size
        repeated = scale.repeat_interleave(rows, 0).repeat_interleave(columns, 1)
        return x.float() * repeated if zero_point is None else (x - zero_point).float() * repeated

    _TORCHAO.impl(  # pyright: ignore[reportUnknownMemberType]
        "dequantize_affine", _dequantize, "CompositeExplicitAutograd"
    )


class Blocks(nn.Module):
    """Weights with a scale for each two of a row, or for each row."""

    stored: Tensor
    scale: Tensor

    def __init__(self, size: int) -> None:
        super().__init__()
        self.size = size
        values = torch.arange(-12, 12).reshape(4, 6).to(torch.int8)
        self.register_buffer("stored", values)
        self.register_buffer("scale", real(4, 6 // size).abs())

    def forward(self, x: Tensor) -> Tensor:
        weights = torch.ops.torchao.dequantize_affine(
            self.stored, [1, self.size], self.scale, None, torch.int8, -127, 127
        )
        return nn.functional.linear(x, weights)


@pytest.mark.parametrize("size", [2, 6])
def test_weights_of_torchao_are_read(size: int) -> None:
    check(Blocks(size), (real(3, 6),))


class Tiles(Blocks):
    def forward(self, x: Tensor) -> Tensor:
        scale = self.scale[:2]
        return x + torch.ops.torchao.dequantize_affine(
            self.stored, [2, self.size], scale, None, torch.int8, -127, 127
        )


def test_blocks_of_several_axes_are_refused() -> None:
    with pytest.raises(UnsupportedError, match=r"blocks along one axis, got \[2, 2\] of \[4, 6\]"):
        import_torch(Tiles(2).eval(), (real(4, 6),))
