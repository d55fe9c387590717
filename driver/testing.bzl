"""Rules behind nn_test and nn_benchmark of //:defs.bzl: the tinsmith command in actions and tests.

They read what they declare alone: kernels and the like come compiled from nn_objects, the simulator is Bazel's, and
what either lacks is compiled to a temporary folder. Only QEMU is the machine's.
"""

load("//platforms/toolchains:flags.bzl", "CPU_FLAGS", "SIMULATED_TARGETS", "TARGET_CPUS")

# The names of `tinsmith targets`.
TARGETS = [name for name in CPU_FLAGS if name not in TARGET_CPUS.values()] + TARGET_CPUS.keys()

_TEST_ENVIRONMENT = {
    "PYTHONDONTWRITEBYTECODE": "1",
    "TINSMITH_CACHE_DIR": "none",
}

# Of every action that runs the compiler. PATH, as --incompatible_strict_action_env says: where QEMU is looked for.
ENVIRONMENT = dict(_TEST_ENVIRONMENT, PATH = "/bin:/usr/bin:/usr/local/bin")

def check_target(target, plugins = []):
    """Fails for a name that is not among TARGETS, unless a plug-in may have brought it.

    Args:
      target: what a user wrote.
      plugins: labels of tinsmith_plugin.
    """
    if target not in TARGETS and not plugins:
        fail("target: expected one of {}; got '{}'".format(", ".join(TARGETS), target))

def objects_of(target, plugins = []):
    """The label of what programs for a target share.

    Args:
      target: one of TARGETS, or a plug-in's.
      plugins: labels of tinsmith_plugin.

    Returns:
      a Label; None for a plug-in's target, of which everything is compiled where it is used.
    """
    check_target(target, plugins)
    return None if target not in TARGETS else Label("//driver:objects_" + target.replace("-", "_"))

def simulator_of(target):
    """The label of the simulator that runs a target, None for the others.

    Args:
      target: one of TARGETS.

    Returns:
      a Label or None.
    """
    return Label("//platforms/simulators/soc") if target in SIMULATED_TARGETS else None

_TARGET = attr.string(
    mandatory = True,
    doc = "A name of `tinsmith targets`.",
)

TINSMITH = attr.label(
    cfg = "exec",
    default = Label("//driver:tinsmith"),
    executable = True,
    doc = "The compiler, with plug-ins or without.",
)

# What running a network on a target takes.
_RUN_ATTRIBUTES = {
    "inputs": attr.label(
        allow_single_file = [".npz"],
        doc = "Samples: arrays `x` or `x_GROUP`; random ones without.",
    ),
    "model": attr.label(
        allow_single_file = True,
        mandatory = True,
        doc = "The trained network.",
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
        doc = "Further options of `tinsmith verify`.",
    ),
    "simulator": attr.label(
        cfg = "exec",
        executable = True,
        doc = "What runs PULP targets; none for others.",
    ),
    "target": _TARGET,
}

def _nn_objects_impl(ctx):
    folder = ctx.actions.declare_directory("objects/" + ctx.attr.target)
    arguments = ctx.actions.args()
    arguments.add("objects")
    arguments.add("--target", ctx.attr.target)

    # A folder passed as itself would stand for the files in it.
    arguments.add("-o", folder.path)
    ctx.actions.run(
        executable = ctx.executable.tinsmith,
        arguments = [arguments],
        env = ENVIRONMENT,
        outputs = [folder],
        mnemonic = "TinsmithObjects",
        progress_message = "Compiling the kernels for {}".format(ctx.attr.target),
    )
    return [DefaultInfo(files = depset([folder]), runfiles = ctx.runfiles([folder]))]

nn_objects = rule(
    implementation = _nn_objects_impl,
    attrs = {
        "target": _TARGET,
        "tinsmith": TINSMITH,
    },
    doc = "Runs `tinsmith objects`: a folder with what programs for a target share, compiled.",
)

def _run_files(ctx):
    files = [ctx.file.model, ctx.file.inputs, ctx.file.objects, ctx.executable.simulator]
    return [file for file in files if file] + ctx.files.model_data

def folder_of(path):
    """The folder that a file lies in.

    Args:
      path: of the file.

    Returns:
      all of it in front of the last slash.
    """
    return path.rpartition("/")[0]

# Of a test that does not say itself how it went, Bazel makes the XML by an action that depends on the time it took, so
# that no other clone ever hits it in a cache.
_VERDICT_SCRIPT = """\
failures=0
verdict=""
if [ "$status" -ne 0 ]; then
  failures=1
  verdict="<failure message='exit status $status'/>"
fi
[ -z "$XML_OUTPUT_FILE" ] || cat > "$XML_OUTPUT_FILE" <<END
<?xml version="1.0" encoding="UTF-8"?>
<testsuites>
  <testsuite name="{name}" tests="1" failures="$failures"><testcase name="{name}">$verdict</testcase></testsuite>
</testsuites>
END
exit "$status"
"""

def _xml_name(label):
    """A test's name, as it stands within quotes of an XML that a shell writes."""
    name = "//{}:{}".format(label.package, label.name)
    for character in ["&", "<", ">", "\"", "'", "$", "`", "\\"]:
        name = name.replace(character, "_")
    return name

_VERIFY_SCRIPT = """\
#!/bin/sh
# Nothing is read or kept but what Bazel gives and clears away.
{environment}
TMPDIR="${{TEST_TMPDIR:-${{TMPDIR:-/tmp}}}}"
export TMPDIR
{arguments} "$@"
status=$?
""" + _VERDICT_SCRIPT

def _nn_verify_test_impl(ctx):
    environment = dict(_TEST_ENVIRONMENT)
    if ctx.file.objects:
        environment["TINSMITH_OBJECTS_DIR"] = ctx.file.objects.short_path
    if ctx.executable.simulator:
        environment["TINSMITH_SOC_DIR"] = folder_of(ctx.executable.simulator.short_path)
    arguments = [ctx.executable.tinsmith.short_path, "verify", ctx.file.model.short_path, "--no-progress"]
    if not [option for option in ctx.attr.options if option.startswith("--report")]:
        arguments.append("--no-report")
    arguments += ["--target", ctx.attr.target]
    if ctx.file.inputs:
        arguments += ["--inputs", ctx.file.inputs.short_path]
    script = ctx.actions.declare_file(ctx.label.name + ".sh")
    ctx.actions.write(
        script,
        _VERIFY_SCRIPT.format(
            arguments = _quoted(arguments + ctx.attr.options),
            environment = "\n".join(["export {}='{}'".format(name, value) for name, value in environment.items()]),
            name = _xml_name(ctx.label),
        ),
        is_executable = True,
    )
    runfiles = ctx.runfiles(files = _run_files(ctx))
    return [DefaultInfo(
        executable = script,
        runfiles = runfiles.merge(ctx.attr.tinsmith[DefaultInfo].default_runfiles),
    )]

def _quoted(words):
    return " ".join(["'{}'".format(word.replace("'", "'\\''")) for word in words])

nn_verify_test = rule(
    implementation = _nn_verify_test_impl,
    attrs = dict(
        _RUN_ATTRIBUTES,
        tinsmith = attr.label(
            cfg = "target",
            default = Label("//driver:tinsmith"),
            executable = True,
            doc = "The compiler, with plug-ins or without.",
        ),
    ),
    test = True,
    doc = "Runs `tinsmith verify` for one target.",
)

def _nn_row_impl(ctx):
    row = ctx.actions.declare_file(ctx.label.name + ".json")
    arguments = ctx.actions.args()
    arguments.add("measure")
    arguments.add(ctx.file.model)
    arguments.add("--name", ctx.attr.network)
    arguments.add("--target", ctx.attr.target)
    if ctx.file.inputs:
        arguments.add("--inputs", ctx.file.inputs)
    arguments.add("--json", row)
    arguments.add("--no-progress")
    arguments.add_all(ctx.attr.options)
    environment = dict(ENVIRONMENT)
    if ctx.file.objects:
        environment["TINSMITH_OBJECTS_DIR"] = ctx.file.objects.path
    if ctx.executable.simulator:
        environment["TINSMITH_SOC_DIR"] = folder_of(ctx.executable.simulator.path)
    ctx.actions.run(
        executable = ctx.executable.tinsmith,
        arguments = [arguments],
        env = environment,
        inputs = _run_files(ctx),
        outputs = [row],
        mnemonic = "TinsmithMeasure",
        progress_message = "Measuring {} on {}".format(ctx.attr.network, ctx.attr.target),
    )
    return [DefaultInfo(files = depset([row]))]

nn_row = rule(
    implementation = _nn_row_impl,
    attrs = dict(
        _RUN_ATTRIBUTES,
        network = attr.string(
            mandatory = True,
            doc = "What the table calls the network.",
        ),
        tinsmith = TINSMITH,
    ),
    doc = "Runs `tinsmith measure`: one row of a sweep as JSON.",
)

_SweepInfo = provider(
    doc = "What nn_sweep made, for its test.",
    fields = {
        "table": "The table for people.",
        "wrong": "A line for each row that is wrong.",
    },
)

# `bazel run` starts it in its runfiles; by hand it stands beside them.
_PRINT_SCRIPT = """\
#!/bin/sh
[ -e '{table}' ] || cd "$0.runfiles/{workspace}" || exit
exec cat '{table}'
"""

def _nn_sweep_impl(ctx):
    table, page, wrong = [ctx.actions.declare_file(ctx.label.name + end) for end in [".json", ".md", ".wrong.txt"]]
    arguments = ctx.actions.args()
    arguments.add("gather")
    arguments.add_all(ctx.files.rows)
    arguments.add("--json", table)
    arguments.add("--markdown", page)
    arguments.add("--wrong", wrong)
    ctx.actions.run(
        executable = ctx.executable.tinsmith,
        arguments = [arguments],
        env = ENVIRONMENT,
        inputs = ctx.files.rows,
        outputs = [table, page, wrong],
        mnemonic = "TinsmithGather",
        progress_message = "Gathering the table {}".format(ctx.label.name),
    )
    script = ctx.actions.declare_file(ctx.label.name + ".sh")
    content = _PRINT_SCRIPT.format(table = page.short_path, workspace = ctx.workspace_name)
    ctx.actions.write(script, content, is_executable = True)
    return [
        DefaultInfo(executable = script, files = depset([table, page]), runfiles = ctx.runfiles([page])),
        _SweepInfo(table = page, wrong = wrong),
    ]

nn_sweep = rule(
    implementation = _nn_sweep_impl,
    attrs = {
        "rows": attr.label_list(
            allow_files = [".json"],
            mandatory = True,
            doc = "The nn_row targets, in the table's order.",
        ),
        "tinsmith": TINSMITH,
    },
    executable = True,
    doc = "Runs `tinsmith gather`: the table of a sweep, for programs (JSON) and for people (Markdown).",
)

_SWEEP_TEST_SCRIPT = """\
#!/bin/sh
cat '{table}'
status=0
if [ -s '{wrong}' ]; then
  status=1
  echo "wrong:"
  cat '{wrong}'
fi
""" + _VERDICT_SCRIPT

def _nn_sweep_test_impl(ctx):
    sweep = ctx.attr.sweep[_SweepInfo]
    script = ctx.actions.declare_file(ctx.label.name + ".sh")
    content = _SWEEP_TEST_SCRIPT.format(
        name = _xml_name(ctx.label),
        table = sweep.table.short_path,
        wrong = sweep.wrong.short_path,
    )
    ctx.actions.write(script, content, is_executable = True)
    return [DefaultInfo(executable = script, runfiles = ctx.runfiles([sweep.table, sweep.wrong]))]

nn_sweep_test = rule(
    implementation = _nn_sweep_test_impl,
    attrs = {
        "sweep": attr.label(
            mandatory = True,
            providers = [_SweepInfo],
            doc = "The nn_sweep.",
        ),
    },
    test = True,
    doc = "Fails if a network of the sweep gave other results than it must.",
)
