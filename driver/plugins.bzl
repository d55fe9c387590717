"""Plug-ins of the tinsmith command in Bazel: `tinsmith_plugin` of //:defs.bzl, and the command with them."""

load("//:rules.bzl", "py_binary", "rules_cc", "rules_py")

_METADATA = """\
Metadata-Version: 2.1
Name: {name}
Version: 0
"""

_ENTRY_POINTS = """\
[tinsmith.plugins]
{name} = {object}
"""

def _tinsmith_plugin_impl(ctx):
    # What pip would install beside the package: the command finds plug-ins by that alone.
    name = "".join([
        character if character.isalnum() else "_"
        for character in str(ctx.label).elems()
    ]).strip("_")
    folder = ctx.label.name + ".path"
    files = []
    for file, content in {"METADATA": _METADATA, "entry_points.txt": _ENTRY_POINTS}.items():
        written = ctx.actions.declare_file("{}/{}-0.dist-info/{}".format(folder, name, file))
        ctx.actions.write(written, content.format(name = name, object = ctx.attr.object))
        files.append(written)
    workspace = ctx.label.workspace_name or ctx.workspace_name
    path = "/".join([part for part in [workspace, ctx.label.package, folder] if part])
    py = ctx.attr.py[rules_py.PyInfo]
    runfiles = ctx.runfiles(files).merge(ctx.attr.py[DefaultInfo].default_runfiles)
    return [
        DefaultInfo(files = depset(files), runfiles = runfiles),
        rules_py.PyInfo(
            imports = depset([path], transitive = [py.imports]),
            transitive_sources = py.transitive_sources,
        ),
        rules_cc.cc_common.merge_cc_infos(
            cc_infos = [kernels[rules_cc.CcInfo] for kernels in ctx.attr.kernels],
        ),
    ]

tinsmith_plugin = rule(
    implementation = _tinsmith_plugin_impl,
    attrs = {
        "kernels": attr.label_list(
            providers = [rules_cc.CcInfo],
            doc = "The cc_library of each back end that it brings, for firmware to link.",
        ),
        "object": attr.string(
            mandatory = True,
            doc = "`module:object`, as the command's --plugin takes it: the tinsmith_plugins.Plugin.",
        ),
        "py": attr.label(
            mandatory = True,
            providers = [rules_py.PyInfo],
            doc = "The py_library of that module; the C of its kernels is data of it, for the command to compile.",
        ),
    },
    doc = """A plug-in of the tinsmith command, for `plugins` of nn_library, nn_test and nn_benchmark.

    It is a Python library and a C library in one. A py_binary of the command that depends on it has it, too.
    """,
)

# Files that PyTorch reads.
_TORCH = ".pt2"

def command_with(name, plugins, models, tags = [], testonly = False):
    """The command that finds these plug-ins, and PyTorch if a model wants it.

    Args:
      name: of the target to make, if there are any.
      plugins: labels of tinsmith_plugin.
      models: labels of the models that it reads.
      tags: of the target.
      testonly: whether only tests may use it.

    Returns:
      a label.
    """
    with_torch = any([str(model).endswith(_TORCH) for model in models])
    if not plugins:
        return Label("//driver:tinsmith_with_torch" if with_torch else "//driver:tinsmith")
    py_binary(
        name = name,
        testonly = testonly,
        srcs = [Label("//driver:tinsmith_driver/__main__.py")],
        main = Label("//driver:tinsmith_driver/__main__.py"),
        python_version = "PY3",
        srcs_version = "PY3",
        tags = tags,
        deps = [Label("//driver")] + plugins + ([Label("//third_party/python:torch")] if with_torch else []),
    )
    return name
