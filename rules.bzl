"""The rules that every BUILD file here loads: `load("//:rules.bzl", "cc_library")`.

Bazel has them built in up to 7, and takes them from rules_cc and rules_python from 8 on; a file cannot choose what it
loads, so @tinsmith_rules, made by setup.bzl, is the one place that knows.
"""

load(
    "@tinsmith_rules//:rules.bzl",
    _cc_binary = "cc_binary",
    _cc_library = "cc_library",
    _cc_toolchain = "cc_toolchain",
    _host_platform = "host_platform",
    _py_binary = "py_binary",
    _py_library = "py_library",
    _py_test = "py_test",
    _rules_cc = "rules_cc",
    _rules_py = "rules_py",
)

cc_binary = _cc_binary
cc_library = _cc_library
cc_toolchain = _cc_toolchain
py_binary = _py_binary
py_library = _py_library
py_test = _py_test

# The label of the platform that Bazel runs on.
host_platform = _host_platform

# What rules that are written here take from rules_cc: providers, cc_common, parts of toolchains.
rules_cc = _rules_cc

# The same of rules_python.
rules_py = _rules_py
