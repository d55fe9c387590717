"""Rules of this repository and for those who use it.

    load("@tinsmith//:defs.bzl", "nn_benchmark", "nn_library", "nn_test")

    nn_library(name = "kws", model = "kws.tflite")          # a cc_library with kws.h: int kws_run(void *arena)
    nn_test(name = "kws_test", model = "kws.tflite", inputs = "kws.npz", targets = ["cortex-m4", "riscv32"])
    tinsmith_plugin(name = "mine", object = "my_package.plugin:PLUGIN", py = ":my_package", kernels = [":my_kernels"])
    nn_benchmark(name = "sweep", models = {"kws": "kws.tflite"}, inputs = {"kws": "kws.npz"}, targets = ["cortex-m4"])
"""

load("//:rules.bzl", "cc_library", "py_library", "py_test")
load("//driver:plugins.bzl", "command_with", _tinsmith_plugin = "tinsmith_plugin")
load("//driver:quantize.bzl", "nn_quantize")
load(
    "//driver:testing.bzl",
    "ENVIRONMENT",
    "TARGETS",
    "TINSMITH",
    "check_target",
    "nn_row",
    "nn_sweep",
    "nn_sweep_test",
    "nn_verify_test",
    "objects_of",
    "simulator_of",
)
load("//platforms:conditions.bzl", "condition_of")
load("//platforms/toolchains:flags.bzl", "CPU_FLAGS", "TARGET_CPUS")
load("//third_party/python:bytecode.bzl", "python_bytecode")

tinsmith_plugin = _tinsmith_plugin

# Macros run in the packages of their callers, where a plain "//" is the caller's own repository.
_PYTEST = Label("//third_party/python:pytest")
_PYTEST_MAIN = Label("//third_party/python:pytest_main.py")

_CACHES = ["**/*.pyc", "**/__pycache__/**", "**/.*_cache/**"]

def tinsmith_py_library(name, deps = [], data = [], visibility = ["//visibility:public"], **kwargs):
    """A Python library of this repository: the folder's `tinsmith_<name>` package, typed and importable.

    Args:
      name: the folder's name; `fusion` packages `tinsmith_fusion/`.
      deps: libraries and third-party wheels (`//third_party/python:numpy`) that it imports.
      data: files it reads at run time besides those in its package folder.
      visibility: who may depend on it.
      **kwargs: further attributes of py_library.
    """
    package = "tinsmith_" + name
    sources = native.glob([package + "/**/*.py"])
    python_bytecode(
        name = name + "_bytecode",
        srcs = sources,
    )
    py_library(
        name = name,
        srcs = sources,
        # pyproject.toml says which plug-ins the library has.
        data = [name + "_bytecode"] + data + native.glob([package + "/**", "pyproject.toml"], exclude = _CACHES + ["**/*.py"]),
        imports = ["."],
        srcs_version = "PY3",
        visibility = visibility,
        deps = deps,
        **kwargs
    )
    tinsmith_sources()

def tinsmith_py_test(name, srcs, deps = [], data = [], args = [], size = "small", **kwargs):
    """Runs pytest on test files.

    Args:
      name: the test's name, by custom that of its file.
      srcs: test files, all of them given to pytest.
      deps: what they import; pytest and a `tests/conftest.py` beside them are added.
      data: files they read, found relative to the test file; `//third_party/mlperf_tiny:models` also sets
        TINSMITH_MLPERF_TINY_DIR, and `:inputs` beside it TINSMITH_MLPERF_TINY_INPUTS_DIR.
      args: further pytest options.
      size: Bazel's test size.
      **kwargs: further attributes of py_test, such as `timeout` and `tags`.
    """
    py_test(
        name = name,
        size = size,
        srcs = srcs + [_PYTEST_MAIN] + native.glob(["tests/conftest.py"], allow_empty = True),
        main = _PYTEST_MAIN,
        args = ["$(rootpath {})".format(source) for source in srcs] + args,
        data = data,
        python_version = "PY3",
        srcs_version = "PY3",
        deps = deps + [_PYTEST],
        **kwargs
    )
    tinsmith_sources()

def tinsmith_py_tests(srcs, groups = 1, **kwargs):
    """Runs pytest on test files, several in a process: `tests_0`, `tests_1` and so on, of which each takes every n-th file.

    To start Python, and to lay out what a test may see, is most of what a file of small tests takes.

    Args:
      srcs: test files of a room.
      groups: how many tests they become; as many may run at once.
      **kwargs: of tinsmith_py_test, for each.
    """
    for group in range(groups):
        tinsmith_py_test(
            name = "tests_{}".format(group),
            srcs = srcs[group::groups],
            **kwargs
        )

def tinsmith_sources():
    """Declares `:sources`, every file of the package, for the checks of the whole tree; once per package."""
    if not native.existing_rule("sources"):
        native.filegroup(
            name = "sources",
            srcs = native.glob(["**"], exclude = _CACHES),
            visibility = ["//visibility:public"],
        )

def nn_library(
        name,
        model,
        target = None,
        options = [],
        visibility = None,
        testonly = False,
        passes = [],
        without = [],
        plugins = [],
        input_shapes = {},
        model_data = [],
        quantize = None,
        calibration = None,
        keep = {},
        same = {},
        **kwargs):
    """A trained network as a cc_library: `#include "<name>.h"`, then `<name>_run(arena)`.

    `<name>_files` holds the generated files alone: header, source, report.json, report.html and plan.json.

    Args:
      name: prefix of every C name and of the files.
      model: the .tflite, .onnx or .pt2 file.
      target: a name of `tinsmith targets`; by default that of the platform being built for
        (`--platforms=//platforms:cortex_m4`), and `host`, which is right everywhere, without one. With a target,
        platforms whose CPU wants another arrangement of weights are incompatible (`nn_compatible_with`).
      options: further options of `tinsmith compile`. With another CMSIS-NN (--@tinsmith//kernels:cmsis_nn=@theirs//:lib)
        `--no-packed` is added: the calls are then those of the public API alone.
      visibility: who may depend on the library.
      testonly: whether only tests may.
      passes: options of passes, and passes to run beside those that run by themselves, as in
        `["allocate-buffers{exact=no}"]`; `tinsmith passes` lists them.
      without: names of passes to leave out.
      plugins: labels of tinsmith_plugin: the compiler has what they bring, the library links their kernels.
      input_shapes: sizes that an .onnx file leaves open, by the name of an input (`{"x": [1, 3, 32, 32]}`) or of a dimension.
      model_data: files beside the model that hold data of it.
      quantize: makes integers of a float network first, see nn_quantized: a scheme such as `int8`.
      calibration: beside quantize, the .npz file of real inputs.
      keep: beside quantize, outputs that become states, see nn_quantized.
      same: beside quantize, outputs that a caller gives back as inputs, see nn_quantized.
      **kwargs: further attributes of cc_library.
    """
    if quantize or calibration or keep or same:
        if not quantize or not calibration:
            fail("nn_library {}: expected quantize and calibration, keep and same beside both alone".format(name))
        nn_quantized(
            name = name + "_integers",
            calibration = calibration,
            input_shapes = input_shapes,
            keep = keep,
            model = model,
            model_data = model_data,
            plugins = plugins,
            same = same,
            scheme = quantize,
            testonly = testonly,
            visibility = visibility,
        )
        model, model_data, input_shapes = name + "_integers", [], {}
    _nn_files(
        name = name + "_files",
        model = model,
        model_data = model_data,
        model_name = name,
        options = options + _pass_options(passes, without) + _shape_options(input_shapes) + select({
            str(Label("//kernels:own_cmsis_nn")): [],
            "//conditions:default": ["--no-packed"],
        }),
        target = target or _target_of_platform(),
        testonly = testonly,
        tinsmith = command_with(name + "_tinsmith", plugins, [model], testonly = testonly),
        visibility = visibility,
    )
    native.filegroup(
        name = name + "_header",
        srcs = [name + "_files"],
        output_group = "header",
        testonly = testonly,
    )
    native.filegroup(
        name = name + "_source",
        srcs = [name + "_files"],
        output_group = "source",
        testonly = testonly,
    )
    cc_library(
        name = name,
        hdrs = [name + "_header"],
        srcs = [name + "_source"],
        includes = [name + "_files"],
        target_compatible_with = kwargs.pop("target_compatible_with", []) + nn_compatible_with(target, plugins),
        testonly = testonly,
        visibility = visibility,
        deps = [
            Label("//kernels:cmsis_nn"),
            Label("//kernels/analog"),
            Label("//kernels/include"),
            Label("//kernels/reference"),
        ] + _cluster_kernels(target) + plugins,
        **kwargs
    )

def nn_quantized(
        name,
        model,
        calibration,
        scheme = "int8",
        suffix = ".tsm",
        options = [],
        visibility = None,
        testonly = False,
        plugins = [],
        input_shapes = {},
        model_data = [],
        keep = {},
        same = {},
        target = None):
    """A float network as one of integers: `<name><suffix>`, which nn_library and nn_test take as their model.

    What that loses is in `<name>.json` and `<name>.html`, of the output group `report`.

    Args:
      name: of the file.
      model: the float .tflite, .onnx or .pt2 file.
      calibration: .npz file with real inputs, arrays `x` or `x_GROUP` of real numbers.
      scheme: `SCHEME{OPTION=VALUE,...}`, as `tinsmith quantize --scheme` takes it.
      suffix: `.tsm`, or a format that is written, such as `.tflite` or `.onnx`.
      options: further options of `tinsmith quantize`.
      visibility: who may read the file.
      testonly: whether only tests may.
      plugins: see nn_library.
      input_shapes: see nn_library.
      model_data: see nn_library.
      keep: outputs that the network keeps, each with the input that it is found in when it runs again
        (`{"key": "past_key"}`): caches, which calibration lacks.
      same: outputs with the integers of an input each, for callers that hold the caches.
      target: a name of `tinsmith targets`, for options whose costs its emulator measures
        (`options = ["--most-instructions=95%"]`).
    """
    nn_quantize(
        name = name,
        calibration = calibration,
        model = model,
        model_data = model_data,
        objects = objects_of(target, plugins) if target else None,
        options = options + _shape_options(input_shapes) + _pair_options("keep", keep) + _pair_options("same", same),
        scheme = scheme,
        simulator = simulator_of(target) if target else None,
        suffix = suffix,
        target = target,
        testonly = testonly,
        tinsmith = command_with(name + "_tinsmith", plugins, [model], testonly = testonly),
        visibility = visibility,
    )

def nn_compatible_with(target, plugins = []):
    """For target_compatible_with: the platforms whose kernels take what is arranged for a target's.

    Boards that are no platform of ours are left to their compiler: generated C refuses a wrong one.

    Args:
      target: a name of `tinsmith targets`, or None for that of the platform.
      plugins: see nn_library; their targets are left to their compiler, too.

    Returns:
      a list, or a select() of lists.
    """
    if target in (None, "host"):
        return []
    check_target(target, plugins)
    if target not in TARGETS:
        return []
    wanted = CPU_FLAGS[TARGET_CPUS.get(target, target)]["kernels"]
    refusal = [Label("//platforms:cpu_with_{}_kernels".format(wanted))]
    choices = {
        condition_of(name): [] if flags["kernels"] == wanted else refusal
        for name, flags in CPU_FLAGS.items()
    }
    choices[str(Label("//platforms:is_other_board"))] = []
    return select(choices)

# Targets with clusters share a CPU, and whatever has it may run their networks.
_CLUSTER_CPU = "riscv32-corev"

def _cluster_kernels(target):
    """What networks for a cluster call besides. Forks and copies come from whoever integrates them: //kernels/cluster, //kernels/dma, //kernels/fetch."""
    kernels = [Label("//kernels/diana:digital"), Label("//kernels/neureka:network"), Label("//kernels/pulp_nn")]
    if target == None:
        return select({
            condition_of(_CLUSTER_CPU): kernels,
            "//conditions:default": [],
        })
    return kernels if TARGET_CPUS.get(target) == _CLUSTER_CPU else []

def _pass_options(passes, without):
    return ["--pass=" + choice for choice in passes] + ["--without=" + name for name in without]

def _pair_options(option, pairs):
    return ["--{}={}={}".format(option, output, input) for output, input in pairs.items()]

def _shape_options(input_shapes):
    return [
        "--input-shape={}={}".format(name, ",".join([str(size) for size in sizes]))
        for name, sizes in input_shapes.items()
    ]

def nn_test(
        name,
        model,
        inputs,
        targets,
        options = [],
        size = "medium",
        tags = [],
        passes = [],
        without = [],
        plugins = [],
        input_shapes = {},
        model_data = [],
        **kwargs):
    """Compiles a network, runs it on emulators and compares every output byte: a test per target, and a suite of all.

    Args:
      name: the suite; the test of `cortex-m4` is `<name>_cortex_m4`.
      model: the .tflite, .onnx or .pt2 file.
      inputs: .npz file with arrays `x` or `x_GROUP`.
      targets: names of `tinsmith targets`.
      options: further options of `tinsmith verify`, such as `--layers`.
      size: Bazel's test size.
      tags: added to `emulator`.
      passes: see nn_library.
      without: see nn_library.
      plugins: see nn_library.
      input_shapes: see nn_library.
      model_data: see nn_library.
      **kwargs: further attributes of the tests.
    """
    tests = []
    tinsmith = command_with(name + "_tinsmith", plugins, [model], testonly = True)
    for target in targets:
        test = "{}_{}".format(name, target.replace("-", "_"))
        nn_verify_test(
            name = test,
            size = size,
            inputs = inputs,
            model = model,
            model_data = model_data,
            objects = objects_of(target, plugins),
            options = options + _pass_options(passes, without) + _shape_options(input_shapes),
            simulator = simulator_of(target),
            tags = tags + ["emulator"],
            target = target,
            tinsmith = tinsmith,
            **kwargs
        )
        tests.append(test)
    native.test_suite(
        name = name,
        tests = tests,
    )

def nn_benchmark(
        name,
        models,
        targets,
        inputs = {},
        options = [],
        tags = [],
        testonly = False,
        visibility = None,
        passes = [],
        without = [],
        plugins = []):
    """A sweep, models by targets: `bazel run` prints the table, `bazel build` writes it as JSON and Markdown.

    Each pair is an action of its own, so that a cluster shares them: it compiles the network, runs it on the emulator and
    compares every output byte. A network that a target refuses or has no room for says so in its row; one whose
    outputs differ makes `<name>_test` fail.

    Args:
      name: the table; the row of network `kws` on `cortex-m4` is `<name>_kws_cortex_m4`.
      models: network -> .tflite, .onnx or .pt2 file; the networks' names are those of the table, and prefixes of C names.
      targets: names of `tinsmith targets`.
      inputs: network -> .npz file with arrays `x` or `x_GROUP`; random samples for networks without.
      options: further options of `tinsmith measure`, such as `--samples=20`.
      tags: of all targets, such as `manual`.
      testonly: whether only tests may depend on the table.
      visibility: who may depend on the table.
      passes: see nn_library.
      without: see nn_library.
      plugins: see nn_library.
    """
    tinsmith = command_with(name + "_tinsmith", plugins, models.values(), tags, testonly)
    for network in inputs:
        if network not in models:
            fail("inputs: expected one of {}; got '{}'".format(", ".join(models.keys()), network))
    rows = []
    for network, model in models.items():
        for target in targets:
            row = "{}_{}_{}".format(name, network, target.replace("-", "_"))
            nn_row(
                name = row,
                inputs = inputs.get(network),
                model = model,
                network = network,
                objects = objects_of(target, plugins),
                options = options + _pass_options(passes, without),
                simulator = simulator_of(target),
                tags = tags,
                target = target,
                testonly = testonly,
                tinsmith = tinsmith,
                visibility = ["//visibility:private"],
            )
            rows.append(row)
    nn_sweep(
        name = name,
        rows = rows,
        tags = tags,
        testonly = testonly,
        visibility = visibility,
    )
    nn_sweep_test(
        name = name + "_test",
        size = "small",
        sweep = name,
        tags = tags,
    )

def _target_of_platform():
    return select({condition_of(cpu): flags.get("network_target", cpu) for cpu, flags in CPU_FLAGS.items()})

def _nn_files_impl(ctx):
    header, source, report, page, plan = [
        ctx.actions.declare_file("{}/{}".format(ctx.label.name, file))
        for file in [ctx.attr.model_name + ".h", ctx.attr.model_name + ".c", "report.json", "report.html", "plan.json"]
    ]
    arguments = ctx.actions.args()
    arguments.add("compile")
    arguments.add(ctx.file.model)
    arguments.add("--target", ctx.attr.target)
    arguments.add("--name", ctx.attr.model_name)
    arguments.add("--no-progress")
    arguments.add_all(ctx.attr.options)
    arguments.add("-o", header.dirname)
    ctx.actions.run(
        executable = ctx.executable.tinsmith,
        arguments = [arguments],
        env = ENVIRONMENT,
        inputs = [ctx.file.model] + ctx.files.model_data,
        outputs = [header, source, report, page, plan],
        mnemonic = "TinsmithCompile",
        progress_message = "Compiling the network {} for {}".format(ctx.attr.model_name, ctx.attr.target),
    )
    return [
        DefaultInfo(files = depset([header, source, report, page, plan])),
        OutputGroupInfo(
            header = depset([header]),
            source = depset([source]),
            plan = depset([plan]),
            report = depset([report, page]),
        ),
    ]

_nn_files = rule(
    implementation = _nn_files_impl,
    attrs = {
        "model": attr.label(
            allow_single_file = True,
            mandatory = True,
            doc = "The trained network.",
        ),
        "model_data": attr.label_list(
            allow_files = True,
            doc = "Files beside the network's that hold data of it.",
        ),
        "model_name": attr.string(
            mandatory = True,
            doc = "Prefix of the C names, and the files' name.",
        ),
        "options": attr.string_list(
            doc = "Further options of `tinsmith compile`.",
        ),
        "target": attr.string(
            mandatory = True,
            doc = "A name of `tinsmith targets`.",
        ),
        "tinsmith": TINSMITH,
    },
    doc = "Runs `tinsmith compile`: header, source, report.json, report.html and plan.json in a folder named as the target.",
)
