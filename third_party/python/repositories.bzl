"""Repository rules for Python: the interpreter that is on the machine, and the wheels of requirements.lock.

Of optional groups (wheels.bzl) the answer is kept when there are none, too; after pip's settings have changed, ask again with
`./bazelw sync --only=tinsmith_torch_wheels`.

One interpreter serves pip and py_runtime, so that compiled wheels always fit it.
"""

load(":wheels.bzl", "GROUPS", "OPTIONAL", "UNUSED", "label_of", "repository_of")

# Prints the base interpreter (not a virtual environment's) when it is new enough and has pip.
_PROBE = """
import importlib.util, os, subprocess, sys
base = os.path.realpath(getattr(sys, "_base_executable", None) or sys.executable)
if not (3, 11) <= sys.version_info[:2] <= (3, 14):
    sys.exit("is Python %d.%d, not one of 3.11 to 3.14" % sys.version_info[:2])
if subprocess.run([base, "-c", "import pip"], stderr=subprocess.DEVNULL).returncode != 0:
    sys.exit("has no pip")
print(base)
"""

_INTERPRETER_BUILD = """\
load("@tinsmith_rules//:rules.bzl", "py_runtime", "py_runtime_pair", "py_tools_toolchain")

package(default_visibility = ["//visibility:public"])

py_runtime(
    name = "runtime",
    interpreter_path = "{interpreter}",
    python_version = "PY3",
    stub_shebang = "#!{interpreter}",
)

py_runtime_pair(
    name = "runtime_pair",
    py3_runtime = ":runtime",
)

toolchain(
    name = "toolchain",
    toolchain = ":runtime_pair",
    toolchain_type = "@bazel_tools//tools/python:toolchain_type",
)

py_tools_toolchain(name = "tools_toolchain")
"""

def _candidates(repository_ctx):
    named = repository_ctx.os.environ.get("TINSMITH_PYTHON")
    if named:
        return [repository_ctx.path(named) if named.startswith("/") else repository_ctx.which(named)]
    found = [repository_ctx.which(name) for name in ["python3", "python3.11", "python3.12", "python3.13", "python3.14"]]
    found.append(repository_ctx.path("/usr/bin/python3"))
    return [path for path in found if path and path.exists]

def _interpreter_impl(repository_ctx):
    refusals = []
    for candidate in _candidates(repository_ctx):
        probe = repository_ctx.execute([candidate, "-c", _PROBE])
        if probe.return_code == 0:
            interpreter = probe.stdout.strip()
            repository_ctx.symlink(interpreter, "python3")
            repository_ctx.file("BUILD", _INTERPRETER_BUILD.format(interpreter = interpreter))
            return
        refusals.append("{} {}".format(candidate, probe.stderr.strip().split("\n")[-1]))
    fail("Tinsmith needs Python 3.11 to 3.14 with pip; looked at: {}. ".format("; ".join(refusals)) +
         "Install one (Debian: apt-get install python3 python3-pip) or name one in TINSMITH_PYTHON.")

_interpreter = repository_rule(
    implementation = _interpreter_impl,
    environ = ["TINSMITH_PYTHON"],
    local = False,
    doc = "Finds Python 3.11 to 3.14 with pip (TINSMITH_PYTHON, else PATH) and makes it a Python toolchain.",
)

_WHEELS_BUILD = """\
load("@tinsmith_rules//:rules.bzl", "py_library")

package(default_visibility = ["//visibility:public"])

exports_files({files})"""

# A folder of a wheel is one file to Bazel: nothing in an installed wheel changes, and runfiles stay small.
_WHEEL_BUILD = """\
filegroup(
    name = "{name}_files",
    srcs = {files},
)

py_library(
    name = "{name}",
    srcs = ["start/sitecustomize.py"],
    data = [":{name}_files"],
    imports = [
        "site",
        "start",
    ],
    deps = {dependencies},
)
"""

def _wheels_impl(repository_ctx):
    # A label that is new to Bazel starts this function again from the top: all of them before pip.
    start = repository_ctx.path(Label("//third_party/python:sitecustomize.py"))
    options = ["--lock", repository_ctx.path(Label("//third_party/python:requirements.lock"))]
    if repository_ctx.attr.optional:
        options += ["--optional", "--lock", repository_ctx.path(Label("//third_party/python:optional.lock"))]
    for folder in repository_ctx.attr.unused:
        options += ["--without", folder]
    result = repository_ctx.execute(
        [
            repository_ctx.path(Label("@tinsmith_interpreter//:python3")),
            "-B",
            repository_ctx.path(Label("//third_party/python:install.py")),
        ] + options + repository_ctx.attr.distributions,
        timeout = 1800,
        quiet = False,
    )
    if result.return_code != 0:
        fail("Installing wheels failed:\n{}\n{}".format(result.stdout, result.stderr))
    repository_ctx.symlink(start, "start/sitecustomize.py")
    files = json.decode(repository_ctx.read("installed.json"))
    paths = sorted({"site/" + path: None for found in files.values() for path in found})
    build = [_WHEELS_BUILD.format(files = paths)]
    for distribution, dependencies in repository_ctx.attr.distributions_and_dependencies.items():
        build.append(_WHEEL_BUILD.format(
            name = label_of(distribution),
            files = ["site/" + path for path in files.get(distribution, [])],
            dependencies = [repository_of(name) for name in dependencies],
        ))
    repository_ctx.file("BUILD", "\n\n".join(build))

_wheels = repository_rule(
    implementation = _wheels_impl,
    attrs = {
        "distributions": attr.string_list(
            doc = "Names of the distributions to install, each present in a lock.",
        ),
        "distributions_and_dependencies": attr.string_list_dict(
            doc = "For each distribution the distributions it imports, as in wheels.bzl.",
        ),
        "optional": attr.bool(
            doc = "Whether optional.lock counts too, and each py_library is empty where pip fails.",
        ),
        "unused": attr.string_list(
            doc = "Folders of `site/` to leave out.",
        ),
    },
    doc = "Installs wheels by pip into `site/`, checked against the locks' hashes; one py_library for each.",
)

def python_repositories():
    """Declares @tinsmith_interpreter and one repository for each group of wheels; nothing is fetched until used."""
    _interpreter(name = "tinsmith_interpreter")
    for group, distributions in GROUPS.items():
        _wheels(
            name = group,
            distributions = distributions.keys(),
            distributions_and_dependencies = distributions,
            optional = group in OPTIONAL,
            unused = UNUSED.get(group, []),
        )
