"""One target built for several platforms in the same build, as firmware teams do with a transition of their own."""

def _for_platform_transition_impl(_settings, attr):
    return {
        "//command_line_option:copt": ["-Wall", "-Wextra", "-Werror"],
        "//command_line_option:platforms": str(attr.platform),
    }

_for_platform_transition = transition(
    implementation = _for_platform_transition_impl,
    inputs = [],
    outputs = [
        "//command_line_option:copt",
        "//command_line_option:platforms",
    ],
)

def _for_platform_impl(ctx):
    archives = [
        file
        for library in ctx.attr.libraries
        for file in library[DefaultInfo].files.to_list()
        if file.extension == "a"
    ]
    copies = []
    for archive in archives:
        copy = ctx.actions.declare_file("{}/{}".format(ctx.label.name, archive.basename))
        ctx.actions.symlink(output = copy, target_file = archive)
        copies.append(copy)
    return [DefaultInfo(files = depset(copies), runfiles = ctx.runfiles(copies))]

for_platform = rule(
    implementation = _for_platform_impl,
    attrs = {
        "libraries": attr.label_list(
            cfg = _for_platform_transition,
            doc = "cc_library targets.",
        ),
        "platform": attr.label(
            mandatory = True,
            doc = "A platform(), such as //platforms:cortex_m4.",
        ),
        "_allowlist_function_transition": attr.label(
            default = "@bazel_tools//tools/allowlists/function_transition_allowlist",
            doc = "Bazel asks every rule with a transition for it.",
        ),
    },
    doc = "The archives of libraries compiled for a platform, with every warning an error, in a folder named as the target.",
)
