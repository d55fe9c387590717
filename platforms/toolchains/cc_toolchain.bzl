"""A cc_toolchain for each CPU of flags.bzl, all of them the clang, lld and ar inside the ziglang wheel.

Nothing of the machine takes part: the tools, the compiler's own headers and `string.h` are inputs of every action.
"""

load("@bazel_tools//tools/build_defs/cc:action_names.bzl", "ACTION_NAMES")
load(
    "@bazel_tools//tools/cpp:cc_toolchain_config_lib.bzl",
    "feature",
    "flag_group",
    "flag_set",
    "tool_path",
    "with_feature_set",
)
load(":flags.bzl", "CLANG_FLAGS", "COMMON_FLAGS", "CPU_FLAGS", "DEFAULT_OPTIMIZE", "LINK_FLAGS", "OPTIMIZE_FLAGS", "WARNING_FLAGS")

_COMPILE = [ACTION_NAMES.c_compile, ACTION_NAMES.assemble, ACTION_NAMES.preprocess_assemble]
_LINK = [ACTION_NAMES.cpp_link_executable]

# The wheel as an action sees it, from the top of the execution root.
_ZIG_LIB = "external/tinsmith_compiler_wheel/site/ziglang/lib"
_RUNTIME_HEADERS = "platforms/boards/tinsmith_boards/c/runtime"

def _flags_of(actions, flags, **kwargs):
    return flag_set(actions = actions, flag_groups = [flag_group(flags = flags)], **kwargs)

def _config_impl(ctx):
    cpu_flags = CPU_FLAGS[ctx.attr.cpu]["clang"]
    includes = [
        "-resource-dir",
        _ZIG_LIB,
        "-nostdlibinc",
        "-isystem",
        _RUNTIME_HEADERS,
    ]
    reproducible = ["-no-canonical-prefixes", "-Wno-builtin-macro-redefined", "-D__DATE__=\"redacted\"", "-D__TIME__=\"redacted\""]
    link = ["-nostdlib", "--ld-path=platforms/toolchains/bin/ld.lld", "-Wl," + ",".join(LINK_FLAGS)]
    default_flags = feature(
        name = "default_flags",
        enabled = True,
        flag_sets = [
            _flags_of(_COMPILE, cpu_flags + includes + CLANG_FLAGS + COMMON_FLAGS + WARNING_FLAGS + reproducible),
            _flags_of(_COMPILE, OPTIMIZE_FLAGS["debug"], with_features = [with_feature_set(features = ["dbg"])]),
            _flags_of(
                _COMPILE,
                OPTIMIZE_FLAGS[DEFAULT_OPTIMIZE],
                with_features = [with_feature_set(not_features = ["dbg"])],
            ),
            _flags_of(_LINK, cpu_flags + includes[:2] + link),
        ],
    )
    return cc_common.create_cc_toolchain_config_info(
        ctx = ctx,
        toolchain_identifier = "tinsmith_" + ctx.attr.cpu,
        host_system_name = "local",
        target_system_name = "none",
        target_cpu = ctx.attr.cpu,
        target_libc = "none",
        compiler = "clang",
        abi_version = "none",
        abi_libc_version = "none",
        cxx_builtin_include_directories = ["%package(@tinsmith_compiler_wheel//)%/site/ziglang/lib/include"],
        features = [feature(name = "dbg"), feature(name = "fastbuild"), feature(name = "opt"), default_flags],
        tool_paths = [
            tool_path(name = "ar", path = "bin/ar"),
            tool_path(name = "cpp", path = "bin/clang"),
            tool_path(name = "gcc", path = "bin/clang"),
            tool_path(name = "gcov", path = "/bin/false"),
            tool_path(name = "ld", path = "bin/ld.lld"),
            tool_path(name = "nm", path = "/bin/false"),
            tool_path(name = "objcopy", path = "bin/objcopy"),
            tool_path(name = "objdump", path = "/bin/false"),
            tool_path(name = "strip", path = "/bin/false"),
        ],
    )

_config = rule(
    implementation = _config_impl,
    attrs = {
        "cpu": attr.string(mandatory = True, doc = "A key of CPU_FLAGS in flags.bzl."),
    },
    provides = [CcToolchainConfigInfo],
    doc = "What Bazel asks of a compiler, for one CPU.",
)

def cross_toolchain(cpu, files):
    """Declares `<cpu>_toolchain` for `register_toolchains` and what it stands on.

    Args:
      cpu: a key of CPU_FLAGS in flags.bzl; the constraint value //platforms:cpu_<cpu> asks for it.
      files: the compiler and its headers, inputs of every action.
    """
    name = cpu.replace("-", "_")
    _config(
        name = name + "_config",
        cpu = cpu,
    )
    native.cc_toolchain(
        name = name + "_compiler",
        all_files = files,
        ar_files = files,
        as_files = files,
        compiler_files = files,
        dwp_files = files,
        linker_files = files,
        objcopy_files = files,
        strip_files = files,
        supports_param_files = True,
        toolchain_config = ":{}_config".format(name),
        toolchain_identifier = "tinsmith_" + cpu,
    )
    native.toolchain(
        name = name + "_toolchain",
        exec_compatible_with = ["@platforms//os:linux"],
        target_compatible_with = ["//platforms:cpu_" + name],
        toolchain = ":{}_compiler".format(name),
        toolchain_type = "@bazel_tools//tools/cpp:toolchain_type",
    )
