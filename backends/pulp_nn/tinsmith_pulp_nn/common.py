"""What the declarations share: how a call is given to the cores of the cluster, and the text of its record."""

import sys
from collections.abc import Mapping

from tinsmith_ir.types import TensorType
from tinsmith_lowering import CLUSTER_HEADER, CORES, Choice, Emission, Layer, Scope
from tinsmith_target import Target

BACKEND = "pulp_nn"
HEADERS = (CLUSTER_HEADER, "tinsmith_pulp_nn.h")
TENSOR_HEADERS = (CLUSTER_HEADER, "tinsmith_pulp_tensors.h")
LAYOUT = "constants"
"""What kernels call the array of their constants."""

_MOST_ELEMENTS = 1 << 28
LARGEST_EXTENT = (1 << 16) - 1
"""Sizes in the kernels' records are of 16 bits."""


def cores_of(target: Target) -> int:
    """The cores of the target's cluster; 1 where there is none."""
    return 1 if target.board.cluster is None else target.board.cluster.cores


def near_bytes(target: Target) -> int:
    """What a layer may use of the memory nearest to the cores; of a target without a cluster, all."""
    cluster = target.board.cluster
    return sys.maxsize if cluster is None else cluster.network_bytes


def core_options(layer: Layer) -> tuple[Choice, ...]:
    """Any number of cores up to all of them; fewer want less scratch."""
    most = cores_of(layer.target)
    return (Choice(CORES, tuple(range(1, most + 1)), most),)


def chosen_cores(layer: Layer) -> int:
    """How many share the call; all, while a kernel is being chosen."""
    if not layer.options:
        return cores_of(layer.target)
    cores = layer.option(CORES)
    if not isinstance(cores, int):
        raise TypeError(f"layer {layer.name}: {cores} cores")
    return cores


def nhwc(type_: TensorType) -> tuple[int, int, int, int]:
    """The four sizes of an activation; raises ValueError for another rank."""
    batches, height, width, channels = type_.shape
    return batches, height, width, channels


def zero_point(type_: TensorType) -> int:
    """Of a quantized tensor; raises ValueError of another."""
    if type_.quantization is None:
        raise ValueError("expected a quantized tensor")
    return type_.quantization.zero_point


def sizes_fit(layer: Layer) -> str | None:
    """No extent is above 65,535."""
    shapes = [type_.shape for type_ in (*layer.inputs, *layer.outputs) if type_ is not None]
    largest = max((extent for shape in shapes for extent in shape), default=1)
    return None if largest <= LARGEST_EXTENT else f"one is {largest:,}"


def elements_are_counted(layer: Layer) -> str | None:
    """There are fewer than 2**28 elements."""
    count = layer.output.elements
    return None if count < _MOST_ELEMENTS else f"there are {count:,}"


def input_is_computed(layer: Layer) -> str | None:
    """The input is computed at run time."""
    return None if layer.constant(0) is None else "it is a constant"


def fork(
    layer: Layer,
    scope: Scope,
    kernel: str,
    record: str,
    fields: Mapping[str, str | int | bool],
    variable: str = "call",
) -> Emission:
    """The record of a call on the stack of the core that issues it, and the kernel on all cores.

    kernel: its name without prefix, `pool`. record: the C type. fields: its members with their values or C text.
    variable: the record's name.
    """
    scope.helper(_share(kernel, record))
    return _forked(layer, f"tinsmith_share_of_{kernel}", record, fields, variable)


def fork_batches(
    layer: Layer, scope: Scope, kernel: str, record: str, fields: Mapping[str, str | int | bool]
) -> Emission:
    """The same of a kernel that takes one batch, of each batch of an operand `input` and a result `output`."""
    batches = layer.output.shape[0]
    if batches == 1:
        return fork(layer, scope, kernel, record, fields)
    scope.helper(_share_of_batches(kernel, record))
    all_fields: dict[str, str | int | bool] = {
        **{f"call.{name}": value for name, value in fields.items()},
        "batches": batches,
        "input_bytes": layer.input(0).size_bytes // batches,
        "output_bytes": layer.output.size_bytes // batches,
    }
    share = f"tinsmith_share_of_batches_of_{kernel}"
    return _forked(layer, share, f"tinsmith_batches_of_{kernel}", all_fields)


def _forked(
    layer: Layer,
    share: str,
    record: str,
    fields: Mapping[str, str | int | bool],
    variable: str = "call",
) -> Emission:
    members = [f"      .{name} = {_text(value)}," for name, value in fields.items()]
    cores = chosen_cores(layer)
    started = f"  tinsmith_cluster_fork({cores}u, {share}, &{variable});"
    return Emission((f"  const {record} {variable} = {{", *members, "  };", started))


def _share(kernel: str, record: str) -> str:
    return f"""\
// A core's part of a call.
static void tinsmith_share_of_{kernel}(const void *call, uint32_t core, uint32_t cores) {{
  const tinsmith_pulp_core_t share = {{core, cores}};
  tinsmith_pulp_{kernel}((const {record} *)call, share);
}}"""


def _share_of_batches(kernel: str, record: str) -> str:
    return f"""\
// Calls that differ in their batch.
typedef struct {{
  {record} call;
  uint32_t batches;
  uint32_t input_bytes, output_bytes;
}} tinsmith_batches_of_{kernel};

// A core's part of each of them.
static void tinsmith_share_of_batches_of_{kernel}(const void *argument, uint32_t core, uint32_t cores) {{
  const tinsmith_batches_of_{kernel} *all = (const tinsmith_batches_of_{kernel} *)argument;
  const tinsmith_pulp_core_t share = {{core, cores}};
  {record} call = all->call;
  for (uint32_t batch = 0u; batch < all->batches; ++batch) {{
    tinsmith_pulp_{kernel}(&call, share);
    call.input = (const uint8_t *)call.input + all->input_bytes;
    call.output = (uint8_t *)call.output + all->output_bytes;
  }}
}}"""


def _text(value: str | int | bool) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
