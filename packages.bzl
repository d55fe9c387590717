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
    "passes/overlap",
    "passes/qdq",
    "passes/quantization",
    "passes/rolling",
    "passes/rounding",
    "passes/scheduling",
    "passes/scratchpad",
    "passes/simplify",
    "passes/splitting",
    "passes/placement",
    "passes/spreading",
    "passes/staging",
    "passes/streaming",
    "passes/tiling",
    "backends/c",
    "backends/cmsis_nn",
    "backends/diana",
    "backends/neureka",
    "backends/pulp_nn",
    "backends/reference",
    "platforms/boards",
    "platforms/emulators",
    "platforms/simulators/soc",
    "platforms/target",
    "platforms/toolchains",
    "driver",
]

# Without code: what they depend on is what they are.
DISTRIBUTIONS = [
    "distribution",
]

OTHERS = [
    "examples/digits",
    "examples/quantization",
    "examples/streaming",
    "kernels",
    "kernels/analog",
    "kernels/cmsis_nn",
    "kernels/cluster",
    "kernels/diana",
    "kernels/dma",
    "kernels/engine",
    "kernels/fetch",
    "kernels/include",
    "kernels/neureka",
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

ALL_SOURCES = ["//:sources"] + sources_of(LIBRARIES + DISTRIBUTIONS + OTHERS)
