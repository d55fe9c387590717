"""What MODULE.bazel calls in place of WORKSPACE."""

load(":vendor.bzl", "cmsis_nn_repository")

def _vendor_impl(_module_ctx):
    cmsis_nn_repository(name = "cmsis_nn")

vendor = module_extension(
    implementation = _vendor_impl,
    doc = "Declares @cmsis_nn.",
)
