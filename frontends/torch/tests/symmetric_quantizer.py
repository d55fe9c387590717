# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportMissingTypeStubs=false, reportUntypedBaseClass=false
"""Networks that torchao quantizes: its flow of PT2E, with a quantizer as those for microcontrollers are.

int8 with one scale for each tensor, symmetric weights with one scale for each output channel or one for all. torchao
itself has quantizers for servers alone, of which its documentation says that each back end brings its own.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.fx import GraphModule, Node
from torchao.quantization.pt2e import (
    FusedMovingAvgObsFakeQuantize,
    MinMaxObserver,
    MovingAverageMinMaxObserver,
    MovingAveragePerChannelMinMaxObserver,
    PerChannelMinMaxObserver,
    PlaceholderObserver,
    move_exported_model_to_eval,
)
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e, prepare_qat_pt2e
from torchao.quantization.pt2e.quantizer import (
    QuantizationAnnotation,
    QuantizationSpec,
    QuantizationSpecBase,
    Quantizer,
    SharedQuantizationSpec,
)

_KEY = "quantization_annotation"
_LAYERS = {"conv1d": 0, "conv2d": 0, "conv_transpose2d": 1, "linear": 0}
"""By the axis of output channels in their weights."""
_CLAMPS = frozenset({"hardtanh", "hardtanh_", "relu", "relu_"})
_NORMS = frozenset({"batch_norm"})
_COMPUTING = frozenset(
    (
        *("add", "add_", "elu", "gelu", "hardsigmoid", "hardswish", "hardswish_", "leaky_relu"),
        *("matmul", "mean", "mul", "mul_", "sigmoid", "silu", "softmax", "tanh"),
    )
)
_KEEPING = frozenset(
    (
        *("adaptive_avg_pool1d", "adaptive_avg_pool2d", "avg_pool2d", "cat", "contiguous"),
        *("dropout", "expand", "flatten", "max_pool1d", "max_pool2d", "pad", "permute", "reshape"),
        *("select", "slice", "squeeze", "transpose", "unflatten", "unsqueeze", "view"),
    )
)
"""Whose results have the scale of their operands."""


@dataclass(frozen=True)
class Symmetric(Quantizer):
    """per_channel: whether weights have a scale for each output channel. is_qat: whether the network is trained so.
    is_dynamic: whether layers choose the scale of their input as they run, and give float32.
    """

    per_channel: bool = True
    is_qat: bool = False
    is_dynamic: bool = False

    def annotate(self, model: GraphModule) -> GraphModule:
        """Say how each operand and result is quantized."""
        for node in model.graph.nodes:
            kind = _kind(node) if _is_real(node) else ""
            if kind in _LAYERS:
                self._layer(node, _LAYERS[kind])
            elif not self.is_dynamic and (kind in _COMPUTING or kind in _CLAMPS):
                self._computing(node)
            elif not self.is_dynamic and kind in _KEEPING:
                self._keeping(node)
        return model

    def validate(self, model: GraphModule) -> None:
        """Nothing is refused."""

    def _layer(self, node: Node, axis: int) -> None:
        source, weights = _operands(node)[:2]
        operands: dict[Node, QuantizationSpecBase | None] = {
            source: self._activation(),
            weights: self._weights(axis),
        }
        if self.is_dynamic:
            _annotate(node, operands, None)
            return
        last = _before_rounding(node)
        _annotate(node, operands, self._activation() if last is node else None)
        if last is not node:
            for each in _between(node, last):
                _annotate(each, {}, None)
            _annotate(last, {}, self._activation())

    def _computing(self, node: Node) -> None:
        if _KEY in node.meta:
            return
        operands: dict[Node, QuantizationSpecBase | None] = {
            each: self._activation() for each in _operands(node)
        }
        last = _before_rounding(node) if _kind(node) in ("add", "add_") else node
        _annotate(node, operands, self._activation() if last is node else None)
        if last is not node:
            _annotate(last, {}, self._activation())

    def _keeping(self, node: Node) -> None:
        operands = _operands(node)
        if not operands:
            return
        shared = SharedQuantizationSpec((operands[0], node))
        specs: dict[Node, QuantizationSpecBase | None] = dict.fromkeys(operands, shared)
        specs[operands[0]] = self._activation()
        _annotate(node, specs, shared)

    def _activation(self) -> QuantizationSpec:
        if self.is_dynamic:
            made: Callable[..., object] = PlaceholderObserver
        elif self.is_qat:
            observer = MovingAverageMinMaxObserver
            made = FusedMovingAvgObsFakeQuantize.with_args(observer=observer)
        else:
            made = MinMaxObserver.with_args(eps=2**-12)
        return QuantizationSpec(
            torch.int8,
            made,
            quant_min=-128,
            quant_max=127,
            qscheme=torch.per_tensor_affine,
            is_dynamic=self.is_dynamic,
        )

    def _weights(self, axis: int) -> QuantizationSpec:
        per_channel = self.per_channel
        scheme = torch.per_channel_symmetric if per_channel else torch.per_tensor_symmetric
        if self.is_qat:
            observer = (
                MovingAveragePerChannelMinMaxObserver
                if per_channel
                else MovingAverageMinMaxObserver
            )
            made = FusedMovingAvgObsFakeQuantize.with_args(observer=observer)
        else:
            observer = PerChannelMinMaxObserver if per_channel else MinMaxObserver
            made = observer.with_args(eps=2**-12)
        return QuantizationSpec(
            torch.int8,
            made,
            quant_min=-127,
            quant_max=127,
            qscheme=scheme,
            ch_axis=axis if per_channel else None,
        )


def quantized(
    module: nn.Module, frames: Sequence[Tensor], quantizer: Quantizer | None = None
) -> GraphModule:
    """What torchao makes of a module in evaluation mode after it has seen `frames`."""
    prepared = prepare_pt2e(_captured(module, frames[0]), quantizer or Symmetric())
    with torch.no_grad():
        for frame in frames:
            prepared(frame)
    return convert_pt2e(prepared)


def trained(
    module: nn.Module, frames: Sequence[Tensor], *, per_channel: bool = True
) -> GraphModule:
    """A module in training with integers in mind; batch normalizations are folded behind it."""
    quantizer = Symmetric(per_channel=per_channel, is_qat=True)
    prepared = prepare_qat_pt2e(_captured(module.train(), frames[0]), quantizer)
    optimizer = torch.optim.SGD(prepared.parameters(), lr=0.01)
    for frame in frames:
        optimizer.zero_grad()
        prepared(frame).square().mean().backward()
        optimizer.step()
    move_exported_model_to_eval(prepared)
    return convert_pt2e(prepared)


def _captured(module: nn.Module, frame: Tensor) -> GraphModule:
    captured = torch.export.export(module, (frame,)).module()
    assert isinstance(captured, GraphModule)
    return captured


def _kind(node: Node) -> str:
    """`conv2d` of the operator `aten.conv2d.default`; "" of other nodes."""
    library, _, rest = str(node.target).partition(".")
    return rest.partition(".")[0] if node.op == "call_function" and library == "aten" else ""


def _operands(node: Node) -> list[Node]:
    """Tensors of float32 that it reads, each once; parameters, too."""
    return [each for each in node.all_input_nodes if _is_real(each)]


def _is_real(node: Node) -> bool:
    value = node.meta.get("val")
    return isinstance(value, Tensor) and value.dtype == torch.float32


def _before_rounding(node: Node) -> Node:
    """The last of what one kernel computes: a batch normalization behind, and a clamp behind that."""
    last = node
    for kinds in (_NORMS, _CLAMPS):
        users = list(last.users)
        if len(users) == 1 and _kind(users[0]) in kinds:
            last = users[0]
    return last


def _between(node: Node, last: Node) -> list[Node]:
    found: list[Node] = []
    while (user := next(iter(node.users))) is not last:
        found.append(user)
        node = user
    return found


def _annotate(
    node: Node,
    operands: dict[Node, QuantizationSpecBase | None],
    result: QuantizationSpecBase | None,
) -> None:
    node.meta[_KEY] = QuantizationAnnotation(operands, result, _annotated=True)
