"""Generated C with kernels that it was not made for: refused by the compiler, by the linker, or at run time."""

import subprocess
from pathlib import Path

import numpy as np
import pytest
from tinsmith_c import write
from tinsmith_c.testing import CASES, HostModel, KernelObjects, compile_c, host_compiler, place
from tinsmith_cmsis_nn import backend
from tinsmith_ir.dtypes import DType
from tinsmith_ir.graph import Graph
from tinsmith_ir.operators import AveragePool2D, Conv2D, DepthwiseConv2D
from tinsmith_ir.testing import GraphBuilder
from tinsmith_ir.types import Quantization, TensorType
from tinsmith_lowering import Kernel, lower, prepare
from tinsmith_target import Target, target

KERNELS = Path(__file__).parents[3] / "kernels" / "cmsis_nn"
PLAIN_C = target("riscv32")
Q = Quantization.per_tensor(0.5, 0)

pytestmark = pytest.mark.skipif(host_compiler() is None, reason="no C compiler on this machine")


def generated(graph: Graph, kernels: tuple[Kernel, ...], chosen: Target, folder: Path) -> Path:
    for name, content in write(
        place(prepare(lower(graph, chosen, kernels), chosen, kernels)), chosen, kernels
    ).items():
        (folder / name).write_bytes(content)
    return folder / f"{graph.name}.c"


def network() -> Graph:
    return next(case for case in CASES if case.name == "network").build()


def wrappers() -> Graph:
    """Two layers that the kernels on arranged weights refuse: a group, and dilation with a channel multiplier."""
    builder = GraphBuilder("wrappers")
    x = builder.input("x", TensorType((1, 6, 6, 4), DType.INT8, Q))
    w = builder.constant("w", np.ones((4, 3, 3, 2), np.int8), Quantization.per_tensor(0.01, 0))
    v = builder.constant("v", np.ones((1, 2, 2, 8), np.int8), Quantization.per_tensor(0.01, 0))
    grouped = builder.add(Conv2D(), [x, w], "grouped", Q)
    return builder.build(builder.add(DepthwiseConv2D(dilation=(2, 2)), [grouped, v], "dilated", Q))


@pytest.fixture(scope="module")
def next_version(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Our headers, of a version that is not yet."""
    folder = tmp_path_factory.mktemp("next") / "include"
    folder.mkdir()
    for path in (KERNELS / "include").iterdir():
        text = path.read_text(encoding="utf-8")
        text = text.replace("TINSMITH_NN_VERSION 4\n", "TINSMITH_NN_VERSION 5\n")
        (folder / path.name).write_text(text, encoding="utf-8")
    return folder


def test_headers_of_another_version_are_refused(next_version: Path, tmp_path: Path) -> None:
    source = generated(network(), backend().kernels(PLAIN_C), PLAIN_C, tmp_path)
    with pytest.raises(AssertionError, match="generated for another version of the kernels"):
        compile_c(["-c", source, f"-I{next_version}", "-o", tmp_path / "network.o"])


@pytest.mark.parametrize(
    ("graph", "functions"),
    [
        (network(), ["convolve_packed", "depthwise_packed", "fully_connected_packed"]),
        (wrappers(), ["convolve", "depthwise"]),
    ],
    ids=["packed", "wrappers"],
)
def test_kernels_of_another_version_do_not_link(
    graph: Graph, functions: list[str], next_version: Path, tmp_path: Path
) -> None:
    source = generated(graph, backend().kernels(PLAIN_C), PLAIN_C, tmp_path)
    model = tmp_path / "model.o"
    compile_c(["-c", source, f"-I{KERNELS / 'include'}", "-o", model])
    kernels: list[Path] = []
    for path in (
        KERNELS / "src" / "c" / "packed.c",
        KERNELS / "src" / "common" / "named_wrappers.c",
    ):
        kernels.append(tmp_path / f"{path.stem}.o")
        # The folder above `include` first: there the kernels look for headers.
        includes = [f"-I{next_version.parent}", f"-I{KERNELS}"]
        compile_c(["-c", path, *includes, "-o", kernels[-1]])
    done = subprocess.run(
        [host_compiler() or "", model, *kernels, "-o", tmp_path / "program"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    for function in functions:
        assert f"tinsmith_{function}_s8_c_v4" in done.stderr


def test_another_library_that_refuses_its_arguments_makes_the_run_fail(tmp_path: Path) -> None:
    theirs = tmp_path / "theirs.c"
    theirs.write_text(
        """#include "arm_nnfunctions.h"
arm_cmsis_nn_status arm_avgpool_s8(const cmsis_nn_context *ctx, const cmsis_nn_pool_params *pool_params,
                                   const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                   const cmsis_nn_dims *filter_dims, const cmsis_nn_dims *output_dims,
                                   int8_t *output_data) {
  (void)ctx, (void)pool_params, (void)input_dims, (void)input_data;
  (void)filter_dims, (void)output_dims, (void)output_data;
  return ARM_CMSIS_NN_ARG_ERROR;
}
""",
        encoding="utf-8",
    )
    builder = GraphBuilder("g")
    type_ = TensorType((1, 4, 4, 8), DType.INT8, Q)
    pool = builder.add(AveragePool2D(window=(4, 4)), [builder.input("x", type_)], "y")
    kernels = backend(packed=False).kernels(PLAIN_C)
    program = place(prepare(lower(builder.build(pool), PLAIN_C, kernels), PLAIN_C, kernels))
    objects = KernelObjects([theirs], [KERNELS / "include"], tmp_path)
    model = HostModel.build(program, PLAIN_C, kernels, objects, tmp_path)
    error_kernel = -2
    with pytest.raises(AssertionError, match=f"status {error_kernel}"):
        model.run({"x": np.zeros((1, 4, 4, 8), np.int8)})
