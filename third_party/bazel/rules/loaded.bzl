"""@tinsmith_rules//:rules.bzl from Bazel 8 on: the same names from rules_cc and rules_python."""

load("@rules_cc//cc:action_names.bzl", _ACTION_NAMES = "ACTION_NAMES")
load("@rules_cc//cc:cc_binary.bzl", _cc_binary = "cc_binary")
load("@rules_cc//cc:cc_library.bzl", _cc_library = "cc_library")
load(
    "@rules_cc//cc:cc_toolchain_config_lib.bzl",
    _env_entry = "env_entry",
    _env_set = "env_set",
    _feature = "feature",
    _flag_group = "flag_group",
    _flag_set = "flag_set",
    _tool_path = "tool_path",
    _with_feature_set = "with_feature_set",
)
load("@rules_cc//cc:find_cc_toolchain.bzl", _find_cc_toolchain = "find_cc_toolchain")
load("@rules_cc//cc/common:cc_common.bzl", _cc_common = "cc_common")
load("@rules_cc//cc/common:cc_info.bzl", _CcInfo = "CcInfo")
load("@rules_cc//cc/toolchains:cc_toolchain.bzl", _cc_toolchain = "cc_toolchain")
load("@rules_cc//cc/toolchains:cc_toolchain_config_info.bzl", _CcToolchainConfigInfo = "CcToolchainConfigInfo")
load("@rules_python//python:py_binary.bzl", _py_binary = "py_binary")
load("@rules_python//python:py_exec_tools_toolchain.bzl", "py_exec_tools_toolchain")
load("@rules_python//python:py_info.bzl", _PyInfo = "PyInfo")
load("@rules_python//python:py_library.bzl", _py_library = "py_library")
load("@rules_python//python:py_runtime.bzl", _py_runtime = "py_runtime")
load("@rules_python//python:py_runtime_pair.bzl", _py_runtime_pair = "py_runtime_pair")
load("@rules_python//python:py_test.bzl", _py_test = "py_test")

cc_binary = _cc_binary
cc_library = _cc_library
cc_toolchain = _cc_toolchain
py_binary = _py_binary
py_library = _py_library
py_runtime = _py_runtime
py_runtime_pair = _py_runtime_pair
py_test = _py_test

def py_tools_toolchain(name):
    """A toolchain that has rules_python do its own work by the interpreter of py_runtime, not by one it downloads."""
    py_exec_tools_toolchain(name = name + "_tools")
    native.toolchain(
        name = name,
        toolchain = name + "_tools",
        toolchain_type = Label("@rules_python//python:exec_tools_toolchain_type"),
    )

host_platform = "@platforms//host"

rules_py = struct(
    PyInfo = _PyInfo,
)

rules_cc = struct(
    ACTION_NAMES = _ACTION_NAMES,
    CcInfo = _CcInfo,
    CcToolchainConfigInfo = _CcToolchainConfigInfo,
    cc_common = _cc_common,
    env_entry = _env_entry,
    env_set = _env_set,
    feature = _feature,
    find_cc_toolchain = _find_cc_toolchain,
    flag_group = _flag_group,
    flag_set = _flag_set,
    tool_path = _tool_path,
    with_feature_set = _with_feature_set,
)
