"""@tinsmith_rules: where this Bazel has the rules that //:rules.bzl hands out."""

def _rules_impl(repository_ctx):
    repository_ctx.file("BUILD", "")
    repository_ctx.symlink(repository_ctx.attr.rules, "rules.bzl")

_rules = repository_rule(
    implementation = _rules_impl,
    attrs = {
        "rules": attr.label(
            allow_single_file = [".bzl"],
            mandatory = True,
            doc = "The file that becomes rules.bzl.",
        ),
    },
    doc = "A repository of one file, rules.bzl.",
)

def rules_repository():
    """Declares @tinsmith_rules for the Bazel that runs."""
    # Debian's builds (4.2.3, 7.7.1) give no version.
    major = native.bazel_version.split(".")[0]
    built_in = not major or int(major) < 8
    _rules(
        name = "tinsmith_rules",
        rules = Label("//third_party/bazel:rules/{}.bzl".format("builtin" if built_in else "loaded")),
    )
