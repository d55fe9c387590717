"""What a WORKSPACE needs to use this repository, once it is declared by the name @tinsmith:

    load("@tinsmith//:setup.bzl", "tinsmith_setup")

    tinsmith_setup()

Users of Bazel modules need none of it: `bazel_dep(name = "tinsmith")`; extensions.bzl does the same for them.
"""

load("//tests/checks:listing.bzl", "listing_repository")
load("//third_party/bazel:rules.bzl", "rules_repository")
load("//third_party/mlperf_tiny:repositories.bzl", "mlperf_tiny_repository")
load("//third_party/python:repositories.bzl", "python_repositories")

def tinsmith_repositories():
    """Declares every repository that this one uses; each is fetched when a target first needs it."""
    rules_repository()
    mlperf_tiny_repository()
    python_repositories()
    listing_repository()

def tinsmith_setup():
    """Declares the repositories, and registers Python's toolchain and a C compiler for each CPU of //platforms.

    Call it after registering toolchains of your own, which then come first.
    """
    tinsmith_repositories()
    native.register_toolchains(
        "@tinsmith_interpreter//:toolchain",
        str(Label("//platforms/toolchains:all")),
    )
