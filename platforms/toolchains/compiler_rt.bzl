"""What the compiler calls for divisions, 64-bit arithmetic and soft float, built from the wheel's own source."""

load(":flags.bzl", "CPU_FLAGS")

def _archive_impl(ctx):
    if ctx.attr.cpu == "host":
        return [DefaultInfo(files = depset())]
    flags = CPU_FLAGS[ctx.attr.cpu]
    archive = ctx.actions.declare_file("lib{}.a".format(ctx.label.name))
    arguments = ctx.actions.args()
    arguments.add(archive)
    arguments.add("-target", flags["zig_target"])
    arguments.add("-mcpu=" + flags["zig_cpu"])
    arguments.add_all(["-O", "ReleaseSmall", "-fstrip", "-ffunction-sections", "-fdata-sections"])
    arguments.add(ctx.file._wheel.path + "/lib/compiler_rt.zig")
    ctx.actions.run(
        executable = ctx.executable._build_lib,
        arguments = [arguments],
        env = {"TINSMITH_ZIG": ctx.file._wheel.path + "/zig"},
        inputs = ctx.files._compiler,
        outputs = [archive],
        mnemonic = "CompilerRt",
        progress_message = "Building compiler-rt for {}".format(ctx.attr.cpu),
    )
    return [DefaultInfo(files = depset([archive]))]

compiler_rt_archive = rule(
    implementation = _archive_impl,
    attrs = {
        "cpu": attr.string(
            mandatory = True,
            doc = "A key of CPU_FLAGS in flags.bzl; nothing is built for `host`.",
        ),
        "_build_lib": attr.label(
            allow_single_file = True,
            cfg = "exec",
            default = "//platforms/toolchains:bin/build-lib",
            executable = True,
            doc = "The wheel's builder of libraries.",
        ),
        "_compiler": attr.label(
            cfg = "exec",
            default = "//third_party/python:ziglang_files",
            doc = "The wheel.",
        ),
        "_wheel": attr.label(
            allow_single_file = True,
            cfg = "exec",
            default = "//third_party/python:ziglang_package",
            doc = "The folder with the wheel's `zig` and `lib`.",
        ),
    },
    doc = "compiler-rt for a CPU, as a static library.",
)
