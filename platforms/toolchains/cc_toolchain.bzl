"""A cc_toolchain for each CPU of flags.bzl, all of them the clang, lld and ar inside the ziglang wheel.

Nothing of the machine takes part: the tools, the compiler's own headers and `string.h` are inputs of every action.
"""

load("//:rules.bzl", "cc_toolchain", "rules_cc")
load(":flags.bzl", "CLANG_FLAGS", "COMMON_FLAGS", "CPU_FLAGS", "DEFAULT_OPTIMIZE", "LINK_FLAGS", "OPTIMIZE_FLAGS", "WARNING_FLAGS")

_NAMES = rules_cc.ACTION_NAMES
_COMPILE = [_NAMES.c_compile, _NAMES.assemble, _NAMES.preprocess_assemble]
_LINK = [_NAMES.cpp_link_executable]
_ARCHIVE = [_NAMES.cpp_link_static_library]

def _flags_of(actions, flags, **kwargs):
    groups = [rules_cc.flag_group(flags = flags)]
    return rules_cc.flag_set(actions = actions, flag_groups = groups, **kwargs)

def _config_impl(ctx):
    cpu_flags = CPU_FLAGS[ctx.attr.cpu]["clang"]
    wheel = ctx.file._wheel.path
    resources = ["-resource-dir", wheel + "/lib"]
    includes = resources + ["-nostdlibinc", "-isystem", ctx.files._runtime_headers[0].dirname]
    reproducible = ["-no-canonical-prefixes", "-Wno-builtin-macro-redefined", "-D__DATE__=\"redacted\"", "-D__TIME__=\"redacted\""]
    link = ["-nostdlib", "--ld-path=" + ctx.file._linker.path, "-Wl," + ",".join(LINK_FLAGS)]
    default_flags = rules_cc.feature(
        name = "default_flags",
        enabled = True,
        flag_sets = [
            _flags_of(_COMPILE, cpu_flags + includes + CLANG_FLAGS + COMMON_FLAGS + WARNING_FLAGS + reproducible),
            _flags_of(_COMPILE, OPTIMIZE_FLAGS["debug"], with_features = [rules_cc.with_feature_set(features = ["dbg"])]),
            _flags_of(
                _COMPILE,
                OPTIMIZE_FLAGS[DEFAULT_OPTIMIZE],
                with_features = [rules_cc.with_feature_set(not_features = ["dbg"])],
            ),
            _flags_of(_LINK, cpu_flags + resources + link),
        ],
    )

    # The programs in bin/ are scripts that call the wheel, whose folder has another name in each kind of workspace.
    compiler = rules_cc.feature(
        name = "compiler",
        enabled = True,
        env_sets = [rules_cc.env_set(
            actions = _COMPILE + _LINK + _ARCHIVE,
            env_entries = [rules_cc.env_entry(key = "TINSMITH_ZIG", value = wheel + "/zig")],
        )],
    )
    modes = [rules_cc.feature(name = mode) for mode in ["dbg", "fastbuild", "opt"]]
    return rules_cc.cc_common.create_cc_toolchain_config_info(
        ctx = ctx,
        toolchain_identifier = "tinsmith_" + ctx.attr.cpu,
        host_system_name = "local",
        target_system_name = "none",
        target_cpu = ctx.attr.cpu,
        target_libc = "none",
        compiler = "clang",
        abi_version = "none",
        abi_libc_version = "none",
        cxx_builtin_include_directories = ["%workspace%/{}/lib/include".format(wheel)],
        features = modes + [compiler, default_flags],
        tool_paths = [
            rules_cc.tool_path(name = "ar", path = "bin/ar"),
            rules_cc.tool_path(name = "cpp", path = "bin/clang"),
            rules_cc.tool_path(name = "gcc", path = "bin/clang"),
            rules_cc.tool_path(name = "gcov", path = "/bin/false"),
            rules_cc.tool_path(name = "ld", path = "bin/ld.lld"),
            rules_cc.tool_path(name = "nm", path = "/bin/false"),
            rules_cc.tool_path(name = "objcopy", path = "bin/objcopy"),
            rules_cc.tool_path(name = "objdump", path = "/bin/false"),
            rules_cc.tool_path(name = "strip", path = "/bin/false"),
        ],
    )

_config = rule(
    implementation = _config_impl,
    attrs = {
        "cpu": attr.string(
            mandatory = True,
            doc = "A key of CPU_FLAGS in flags.bzl.",
        ),
        "_linker": attr.label(
            allow_single_file = True,
            default = "//platforms/toolchains:bin/ld.lld",
            doc = "What clang calls to link.",
        ),
        "_runtime_headers": attr.label(
            default = "//platforms/boards:runtime_headers",
            doc = "What stands in for a C library's headers.",
        ),
        "_wheel": attr.label(
            allow_single_file = True,
            default = "//third_party/python:ziglang_package",
            doc = "The folder with the wheel's `zig` and `lib`.",
        ),
    },
    provides = [rules_cc.CcToolchainConfigInfo],
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
    cc_toolchain(
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
