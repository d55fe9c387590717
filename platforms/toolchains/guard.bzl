"""Says at analysis what would otherwise become code for the wrong machine."""

load("//:rules.bzl", "rules_cc")

_TOOLCHAIN_TYPE = "@bazel_tools//tools/cpp:toolchain_type"

_MESSAGE = """
The platform asks for {cpu}, but the C compiler chosen is that of this machine.
Up to Bazel 6 a platform chooses a compiler only when told to; add to .bazelrc:
    build --incompatible_enable_cc_toolchain_resolution"""

def _compiler_of_platform_impl(ctx):
    if ctx.attr.cpu != "host" and rules_cc.find_cc_toolchain(ctx).target_gnu_system_name == "local":
        fail(_MESSAGE.format(cpu = ctx.attr.cpu))
    return [rules_cc.CcInfo()]

compiler_of_platform = rule(
    implementation = _compiler_of_platform_impl,
    attrs = {
        "cpu": attr.string(
            mandatory = True,
            doc = "A key of CPU_FLAGS in flags.bzl, by platform.",
        ),
        "_cc_toolchain": attr.label(
            default = "@bazel_tools//tools/cpp:current_cc_toolchain",
            doc = "Where Bazel 4 keeps the compiler when platforms do not choose it.",
        ),
    },
    provides = [rules_cc.CcInfo],
    toolchains = [_TOOLCHAIN_TYPE],
    doc = "An empty library that fails where a board's platform has got the compiler of this machine.",
)
