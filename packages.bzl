"""The folders of this repository that the checks of the whole tree look at; tests/checks says when one is missing."""

# Each with its own pyproject.toml, in the order a model walks.
LIBRARIES = [
    "frontends/onnx",
    "frontends/tensors",
    "frontends/tflite",
    "frontends/torch",
    "ir",
    "lowering",
    "plan_check",
    "plugins",
    "passes/allocation",
    "passes/compression",
    "passes/copy_elision",
    "passes/fusion",
    "passes/layout",
    "passes/qdq",
    "passes/quantization",
    "passes/rolling",
    "passes/rounding",
    "passes/scheduling",
    "passes/simplify",
    "passes/splitting",
    "passes/spreading",
    "passes/streaming",
    "passes/tiling",
    "backends/c",
    "backends/cmsis_nn",
    "backends/pulp_nn",
    "backends/reference",
    "platforms/boards",
    "platforms/emulators",
    "platforms/simulators/soc",
    "platforms/target",
    "platforms/toolchains",
    "driver",
]

OTHERS = [
    "examples/digits",
    "examples/streaming",
    "kernels",
    "kernels/cmsis_nn",
    "kernels/cluster",
    "kernels/dma",
    "kernels/engine",
    "kernels/include",
    "kernels/pulp_nn",
    "kernels/reference",
    "platforms",
    "platforms/simulators/runtime",
    "tests/checks",
    "tests/cross",
    "tests/e2e",
    "tests/golden",
    "tests/layering",
    "tests/operators",
    "tests/out_of_tree",
    "tests/packaging",
    "tests/readme",
    "tests/remote",
    "tests/three_sides",
    "tests/workspace",
    "third_party/bazel",
    "third_party/mlperf_tiny",
    "third_party/python",
]

def sources_of(folders):
    """The label of every file of each folder."""
    return ["//{}:sources".format(folder) for folder in folders]

ALL_SOURCES = ["//:sources"] + sources_of(LIBRARIES + OTHERS)
