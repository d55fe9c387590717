"""Runs a program for a board in QEMU, as a test."""

def _for_platform_impl(_settings, attr):
    return {"//command_line_option:platforms": str(attr.platform)}

_for_platform = transition(
    implementation = _for_platform_impl,
    inputs = [],
    outputs = ["//command_line_option:platforms"],
)

_SCRIPT = """\
#!/bin/sh
exec qemu-system-arm -M {machine} -kernel {firmware} -nographic -monitor none -serial none \\
    -semihosting-config enable=on,target=native
"""

def _emulated_test_impl(ctx):
    firmware = ctx.attr.firmware[0][DefaultInfo].files_to_run.executable
    script = ctx.actions.declare_file(ctx.label.name + ".sh")
    ctx.actions.write(
        script,
        _SCRIPT.format(firmware = firmware.short_path, machine = ctx.attr.machine),
        is_executable = True,
    )
    return [DefaultInfo(executable = script, runfiles = ctx.runfiles([firmware]))]

emulated_test = rule(
    implementation = _emulated_test_impl,
    attrs = {
        "firmware": attr.label(
            cfg = _for_platform,
            mandatory = True,
            doc = "A cc_binary; it passes by ending with status 0 (semihosting's SYS_EXIT_EXTENDED).",
        ),
        "machine": attr.string(
            mandatory = True,
            doc = "One of `qemu-system-arm -M help`.",
        ),
        "platform": attr.label(
            mandatory = True,
            doc = "What `firmware` is compiled for.",
        ),
        "_allowlist_function_transition": attr.label(
            default = "@bazel_tools//tools/allowlists/function_transition_allowlist",
        ),
    },
    test = True,
    doc = "Compiles a program for a platform and runs it in QEMU.",
)
