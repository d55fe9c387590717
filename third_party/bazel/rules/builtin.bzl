"""@tinsmith_rules//:rules.bzl up to Bazel 7: rules and providers that are built into Bazel."""

load("@bazel_tools//tools/build_defs/cc:action_names.bzl", _ACTION_NAMES = "ACTION_NAMES")
load(
    "@bazel_tools//tools/cpp:cc_toolchain_config_lib.bzl",
    _env_entry = "env_entry",
    _env_set = "env_set",
    _feature = "feature",
    _flag_group = "flag_group",
    _flag_set = "flag_set",
    _tool_path = "tool_path",
    _with_feature_set = "with_feature_set",
)
load("@bazel_tools//tools/cpp:toolchain_utils.bzl", _find_cc_toolchain = "find_cpp_toolchain")
load("@bazel_tools//tools/python:toolchain.bzl", _py_runtime_pair = "py_runtime_pair")

cc_binary = native.cc_binary
cc_library = native.cc_library
cc_toolchain = native.cc_toolchain
py_binary = native.py_binary
py_library = native.py_library
py_runtime = native.py_runtime
py_runtime_pair = _py_runtime_pair
py_test = native.py_test

def py_tools_toolchain(name):
    """Nothing: built-in rules run no Python of their own.

    Args:
      name: unused.
    """

host_platform = "@local_config_platform//:host"

rules_py = struct(
    PyInfo = PyInfo,
)

rules_cc = struct(
    ACTION_NAMES = _ACTION_NAMES,
    CcInfo = CcInfo,
    CcToolchainConfigInfo = CcToolchainConfigInfo,
    cc_common = cc_common,
    env_entry = _env_entry,
    env_set = _env_set,
    feature = _feature,
    find_cc_toolchain = _find_cc_toolchain,
    flag_group = _flag_group,
    flag_set = _flag_set,
    tool_path = _tool_path,
    with_feature_set = _with_feature_set,
)
