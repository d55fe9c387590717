# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
"""Training that knows of quantization, in PyTorch: networks that compute with the numbers that integers will stand for.

Scales and zero points are by the formulas of `quantize`, and what is exported is what that writes: float operators
between Dequantize and Quantize.
"""

import copy
from collections.abc import Mapping
from typing import cast

from tinsmith_ir.errors import UnsupportedError, UsageError
from tinsmith_ir.operators import Logistic, LogSoftmax, Operator, Softmax, Tanh
from tinsmith_ir.types import Quantization

from tinsmith_quantization.extras import needs
from tinsmith_quantization.ranges.groups import FIXED
from tinsmith_quantization.schemes import Scheme
from tinsmith_quantization.torch_rounding import RoundedLayer, RoundedTensor

try:
    from torch import fx, nn
except ImportError as error:
    raise ImportError(needs(__name__, "torch", "torch"), name="torch") from error

_KEEPING_MODULES = (
    nn.Dropout,
    nn.Dropout1d,
    nn.Dropout2d,
    nn.Flatten,
    nn.Identity,
    nn.MaxPool1d,
    nn.MaxPool2d,
    nn.PixelShuffle,
    nn.Unflatten,
)
_KEEPING = frozenset(
    (
        *("chunk", "contiguous", "detach", "dim", "dropout", "expand", "flatten", "getattr"),
        *("getitem", "max_pool1d", "max_pool2d", "permute", "reshape", "select", "size", "split"),
        *("squeeze", "swapaxes", "transpose", "unbind", "unflatten", "unsqueeze", "view"),
    )
)
"""Whose results are elements of their operands, which are integers already; by the names of functions and methods."""
_CLAMP_MODULES = (nn.Hardtanh, nn.ReLU, nn.ReLU6)
_CLAMPS = frozenset({"hardtanh", "relu", "relu6", "relu_"})
_FIXED_MODULES: Mapping[type[nn.Module], type[Operator]] = {
    nn.LogSoftmax: LogSoftmax,
    nn.Sigmoid: Logistic,
    nn.Softmax: Softmax,
    nn.Tanh: Tanh,
}
_FIXED: Mapping[str, type[Operator]] = {
    "log_softmax": LogSoftmax,
    "sigmoid": Logistic,
    "softmax": Softmax,
    "tanh": Tanh,
}
"""The operators of which each gives a quantization of its own."""


def prepare_qat(module: nn.Module, scheme: Scheme) -> nn.Module:
    """A copy of the network that computes as its integers will, to be trained further.

    Batch normalization is folded into the convolution in front of it, so a trained network should be given. Ranges are
    averages over the batches of training; the first is taken whole, so at least one has to be seen before `eval()`.
    With the scheme's method `learned` they are parameters that begin as averages and are trained with the weights; give
    their optimizer no weight decay. All other methods are averages here.
    module: what torch.fx can trace, of Conv2d, Linear and what lies between. In evaluation it can be exported by
    `torch.export.export`; see `integer_ends` for what comes then.
    Raises UnsupportedError for a module that torch.fx cannot trace, UsageError for a scheme of unsigned ends or of
    blocks, and a module without layers.
    """
    if scheme.unsigned_ends:
        raise UsageError("prepare_qat: expected a scheme of signed ends, got one of unsigned ones")
    if scheme.block:
        raise UsageError("prepare_qat: expected a scheme without blocks, got one of `block`")
    graph = _folded(_traced(module))
    _replace_layers(graph, scheme)
    for node in list(graph.graph.nodes):
        if _is_rounded(graph, node):
            _round_behind(graph, node, scheme)
    _tell_sources(graph)
    graph.recompile()
    return graph.train()


def draw_to_integers(module: nn.Module, share: float) -> None:
    """Move weights of fewer than 8 bits a share of the way to the numbers of their integers, in place.

    module: of `prepare_qat`. Called behind steps of the optimizer with a share that grows from 0 to about 0.05, it ends
    what weights otherwise do as long as they are trained, going to and fro between two integers (Nagel et al.,
    "Overcoming Oscillations in Quantization-Aware Training", 2022).
    """
    for layer in module.modules():
        if isinstance(layer, RoundedLayer):
            layer.draw(share)


def _traced(module: nn.Module) -> fx.GraphModule:
    try:
        return fx.symbolic_trace(copy.deepcopy(module).eval())
    except Exception as error:  # whatever the module does while it is traced
        raise UnsupportedError(
            f"prepare_qat: expected a module that torch.fx can trace, which says: {str(error).splitlines()[0]}"
        ) from error


def _folded(graph: fx.GraphModule) -> fx.GraphModule:
    """The same without batch normalization behind layers."""
    modules = dict(graph.named_modules())
    for node in list(graph.graph.nodes):
        if node.op != "call_module" or not isinstance(modules[node.target], nn.BatchNorm2d):
            continue
        source = node.args[0]
        layer = modules.get(source.target) if source.op == "call_module" else None
        if not isinstance(layer, nn.Conv2d) or len(source.users) > 1:
            continue
        norm = cast(nn.BatchNorm2d, modules[node.target])
        fused = nn.utils.fusion.fuse_conv_bn_eval(layer, norm)
        _put(graph, source.target, fused)
        node.replace_all_uses_with(source)
        graph.graph.erase_node(node)
    graph.recompile()
    return graph


def _put(graph: fx.GraphModule, path: str, module: nn.Module) -> None:
    parent, _, name = path.rpartition(".")
    setattr(graph.get_submodule(parent), name, module)


def _replace_layers(graph: fx.GraphModule, scheme: Scheme) -> None:
    modules = dict(graph.named_modules())
    called = [node.target for node in graph.graph.nodes if node.op == "call_module"]
    layers = [path for path in called if isinstance(modules[path], nn.Conv2d | nn.Linear)]
    if not layers:
        raise UsageError("prepare_qat: expected a module with Conv2d or Linear, got none")
    ends = max(scheme.end_bits, scheme.weight_bits)
    for path in dict.fromkeys(layers):
        bits = ends if path in (layers[0], layers[-1]) else scheme.weight_bits
        _put(graph, path, RoundedLayer(cast(nn.Conv2d | nn.Linear, modules[path]), bits, scheme))


def _is_rounded(graph: fx.GraphModule, node: fx.Node) -> bool:
    """Whether integers follow: but where only elements are moved, and where a clamp does that is computed with it."""
    if node.op in ("get_attr", "output"):
        return False
    if node.op != "placeholder" and _is(graph, node, _KEEPING_MODULES, _KEEPING):
        return False
    users = list(node.users)
    return not (len(users) == 1 and _is(graph, users[0], _CLAMP_MODULES, _CLAMPS))


def _is(
    graph: fx.GraphModule,
    node: fx.Node,
    kinds: tuple[type[nn.Module], ...],
    names: frozenset[str],
) -> bool:
    if node.op == "call_module":
        return isinstance(graph.get_submodule(str(node.target)), kinds)
    return node.op in ("call_function", "call_method") and _name(node) in names


def _name(node: fx.Node) -> str:
    return str(getattr(node.target, "__name__", node.target))


def _round_behind(graph: fx.GraphModule, node: fx.Node, scheme: Scheme) -> None:
    rounded = RoundedTensor(scheme, _fixed(graph, node, scheme))
    name = f"{node.name}_rounded"
    graph.add_submodule(name, rounded)
    with graph.graph.inserting_after(node):
        new = graph.graph.call_module(name, (node,))
    node.replace_all_uses_with(new, delete_user_cb=lambda user: user is not new)


def _fixed(graph: fx.GraphModule, node: fx.Node, scheme: Scheme) -> Quantization | None:
    """What an operator of integers gives, whatever it is asked for."""
    kind = _FIXED.get(_name(node)) if node.op != "placeholder" else None
    if node.op == "call_module":
        kind = _FIXED_MODULES.get(type(graph.get_submodule(str(node.target))))
    return None if kind is None else FIXED[scheme.activations].get(kind)


def _tell_sources(graph: fx.GraphModule) -> None:
    """What each layer that is called once reads: integers of which scale."""
    calls: dict[RoundedLayer, list[fx.Node]] = {}
    for node in graph.graph.nodes:
        called = graph.get_submodule(node.target) if node.op == "call_module" else None
        if isinstance(called, RoundedLayer):
            calls.setdefault(called, []).append(node)
    for layer, nodes in calls.items():
        source = _source(graph, nodes[0].args[0])
        if len(nodes) == 1 and source is not None:
            layer.read(source)


def _source(graph: fx.GraphModule, node: object) -> RoundedTensor | None:
    """Whose numbers a node gives, moved or not."""
    while isinstance(node, fx.Node) and node.op != "placeholder":
        found = graph.get_submodule(str(node.target)) if node.op == "call_module" else None
        if isinstance(found, RoundedTensor):
            return found
        if not node.args or not _is(graph, node, _KEEPING_MODULES, _KEEPING):
            return None
        node = node.args[0]
    return None
