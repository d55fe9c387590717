"""The module extension of MODULE.bazel: the same repositories that setup.bzl declares in a WORKSPACE."""

load("//:setup.bzl", "tinsmith_repositories")

def _repositories_impl(module_ctx):
    tinsmith_repositories()
    return module_ctx.extension_metadata(reproducible = True)

repositories = module_extension(
    implementation = _repositories_impl,
    doc = "Declares every repository that this one uses; each is fetched when a target first needs it.",
)
