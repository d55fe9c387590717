"""The rule behind nn_quantized of //:defs.bzl: a float network becomes one of integers in an action of its own."""

load(":testing.bzl", "ENVIRONMENT", "TINSMITH", "folder_of")

def _nn_quantize_impl(ctx):
    network = ctx.actions.declare_file(ctx.attr.name + ctx.attr.suffix)
    report, page = [ctx.actions.declare_file(ctx.attr.name + suffix) for suffix in [".json", ".html"]]
    arguments = ctx.actions.args()
    arguments.add("quantize")
    arguments.add(ctx.file.model)
    arguments.add("--calibration", ctx.file.calibration)
    arguments.add("--scheme", ctx.attr.scheme)
    arguments.add("--no-progress")
    environment = dict(ENVIRONMENT)
    if ctx.attr.target:
        arguments.add("--target", ctx.attr.target)
    if ctx.file.objects:
        environment["TINSMITH_OBJECTS_DIR"] = ctx.file.objects.path
    if ctx.executable.simulator:
        environment["TINSMITH_SOC_DIR"] = folder_of(ctx.executable.simulator.path)
    arguments.add_all(ctx.attr.options)
    arguments.add("-o", network)
    arguments.add("--json", report)
    arguments.add("--html", page)
    files = [ctx.file.model, ctx.file.calibration, ctx.file.objects, ctx.executable.simulator]
    ctx.actions.run(
        executable = ctx.executable.tinsmith,
        arguments = [arguments],
        env = environment,
        inputs = [file for file in files if file] + ctx.files.model_data,
        outputs = [network, report, page],
        mnemonic = "TinsmithQuantize",
        progress_message = "Quantizing the network {}".format(ctx.file.model.short_path),
    )
    return [
        DefaultInfo(files = depset([network])),
        OutputGroupInfo(report = depset([report, page])),
    ]

nn_quantize = rule(
    implementation = _nn_quantize_impl,
    attrs = {
        "calibration": attr.label(
            allow_single_file = [".npz"],
            mandatory = True,
            doc = "Real inputs: arrays `x` or `x_GROUP` of real numbers.",
        ),
        "model": attr.label(
            allow_single_file = True,
            mandatory = True,
            doc = "The float network.",
        ),
        "model_data": attr.label_list(
            allow_files = True,
            doc = "Files beside the network's that hold data of it.",
        ),
        "objects": attr.label(
            allow_single_file = True,
            doc = "The nn_objects of the target, if it is ours.",
        ),
        "options": attr.string_list(
            doc = "Further options of `tinsmith quantize`.",
        ),
        "scheme": attr.string(
            default = "int8",
            doc = "SCHEME{OPTION=VALUE,...}, as `tinsmith quantize --scheme` takes it.",
        ),
        "simulator": attr.label(
            cfg = "exec",
            executable = True,
            doc = "What runs PULP targets; none for others.",
        ),
        "suffix": attr.string(
            default = ".tsm",
            doc = "Of the file: .tsm, or a format that is written, such as .tflite or .onnx.",
        ),
        "target": attr.string(
            doc = "A name of `tinsmith targets`, whose emulator measures what options ask for; none if they ask for nothing.",
        ),
        "tinsmith": TINSMITH,
    },
    doc = "Runs `tinsmith quantize`: the network of integers; the output group `report` says what that loses.",
)
