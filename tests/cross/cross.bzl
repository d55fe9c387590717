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
    files = [
        file
        for target in ctx.attr.targets
        for file in target[DefaultInfo].files.to_list()
        if file.extension in ("a", "")
    ]
    copies = []
    for file in files:
        copy = ctx.actions.declare_file("{}/{}".format(ctx.label.name, file.basename))
        ctx.actions.symlink(output = copy, target_file = file)
        copies.append(copy)
    return [DefaultInfo(files = depset(copies), runfiles = ctx.runfiles(copies))]

for_platform = rule(
    implementation = _for_platform_impl,
    attrs = {
        "platform": attr.label(
            mandatory = True,
            doc = "A platform(), such as //platforms:cortex_m4.",
        ),
        "targets": attr.label_list(
            cfg = _for_platform_transition,
            doc = "cc_library and cc_binary targets.",
        ),
        "_allowlist_function_transition": attr.label(
            default = "@bazel_tools//tools/allowlists/function_transition_allowlist",
            doc = "Bazel asks every rule with a transition for it.",
        ),
    },
    doc = "Libraries and programs compiled for a platform, with every warning an error, in a folder named as the target.",
)

def _verdict_impl(ctx):
    file = ctx.actions.declare_file(ctx.label.name)
    ctx.actions.write(file, "refused" if ctx.attr.constraints else "accepted")
    return [DefaultInfo(files = depset([file]))]

verdict = rule(
    implementation = _verdict_impl,
    attrs = {
        "constraints": attr.label_list(
            doc = "Such as nn_compatible_with() gives.",
        ),
    },
    doc = "Writes whether a platform is refused by constraints that no platform has; a refused target would be skipped.",
)
