"""Fetches what can be had of MLPerf Tiny; what cannot is marked absent and the tests that want it say so.

Each model is asked for by address and sha256, so Bazel's repository cache and `--distdir` serve it without a network.
The answer is kept; after the network or the folder beside the checkout has changed, ask again with
`./bazelw sync --only=tinsmith_mlperf_tiny`.
"""

load(":files.bzl", "ADDRESS", "COMMIT", "INPUTS", "MODELS")

_BUILD = """\
package(default_visibility = ["//visibility:public"])

exports_files(glob(["models/*", "inputs/*"], allow_empty = True))

filegroup(
    name = "models",
    srcs = ["manifest.json"] + glob(["models/*.tflite"], allow_empty = True),
)

filegroup(
    name = "inputs",
    srcs = ["manifest.json"] + glob(["inputs/*.npz"], allow_empty = True),
)
"""

# A download that cannot work, quickly; Bazel still looks for the name and hash in its cache and --distdir.
_NOWHERE = "file:///nonexistent/{}"

def _try(repository_ctx, address, output, sha256):
    return repository_ctx.download(
        url = address,
        output = output,
        sha256 = sha256,
        allow_fail = True,
    ).success

def _fetch_models(repository_ctx):
    """One failure is taken as "no network" for all, so that being offline costs one refused connection, not nine."""
    present = {}
    offline = False
    for file, (task, sha256) in MODELS.items():
        address = _NOWHERE.format(file) if offline else ADDRESS.format(commit = COMMIT, task = task, file = file)
        present[file] = _try(repository_ctx, address, "models/" + file, sha256)
        offline = offline or not present[file]
    return present

def _fetch_inputs(repository_ctx):
    beside = repository_ctx.path(Label("//:WORKSPACE")).dirname.dirname.get_child("shared").get_child("inputs")
    present = {}
    for file, sha256 in INPUTS.items():
        path = beside.get_child(file)
        present[file] = path.exists and _try(repository_ctx, "file://{}".format(path), "inputs/" + file, sha256)
    return present

def _mlperf_tiny_impl(repository_ctx):
    repository_ctx.file("manifest.json", json.encode({
        "commit": COMMIT,
        "inputs": _fetch_inputs(repository_ctx),
        "models": _fetch_models(repository_ctx),
    }) + "\n")
    repository_ctx.file("BUILD", _BUILD)

_mlperf_tiny = repository_rule(
    implementation = _mlperf_tiny_impl,
    doc = "The MLPerf Tiny models and samples that are to be had, with manifest.json saying which.",
)

def mlperf_tiny_repository():
    """Declares @tinsmith_mlperf_tiny; nothing is fetched until a test names it."""
    _mlperf_tiny(name = "tinsmith_mlperf_tiny")
