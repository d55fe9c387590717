"""The names of this checkout's files as an input of test_tree: a glob sees only what its package has.

With the names for input the test runs when they change, and a cache may serve it otherwise.
"""

def _listing_impl(repository_ctx):
    checkout = repository_ctx.path(Label("//:WORKSPACE")).dirname
    result = repository_ctx.execute([
        repository_ctx.path(Label("@tinsmith_interpreter//:python3")),
        "-B",
        repository_ctx.path(Label("//tests/checks:listing.py")),
        checkout,
    ])
    if result.return_code != 0:
        fail("Listing {} failed:\n{}".format(checkout, result.stderr))
    repository_ctx.file("listing.txt", result.stdout)
    repository_ctx.file("BUILD", "exports_files([\"listing.txt\"])\n")

_listing = repository_rule(
    implementation = _listing_impl,
    local = True,
    doc = "The names of BUILD files, pyproject.toml and modules; listed anew whenever Bazel starts.",
)

def listing_repository():
    """Declares @tinsmith_listing."""
    _listing(name = "tinsmith_listing")
