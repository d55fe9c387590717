"""A CMSIS-NN from elsewhere, laid out as Arm's repository: `Include/` and `Source/`."""

_BUILD = """\
cc_library(
    name = "lib",
    srcs = glob(
        [
            "Source/**/*.c",
            "Source/**/*.h",
            "include/*.h",
            "src/**/*.h",
        ],
        allow_empty = True,
        exclude = [
            "Source/**/*_f16.c",
            "Source/**/*_f32.c",
        ],
    ),
    hdrs = glob(["Include/**/*.h"]),
    includes = [
        ".",
        "Include",
    ],
    visibility = ["//visibility:public"],
)
"""

def _cmsis_nn_impl(repository_ctx):
    checkout = repository_ctx.os.environ.get("CMSIS_NN")
    if checkout:
        folders = {name: repository_ctx.path(checkout).get_child(name) for name in ["Include", "Source"]}
    else:
        ours = repository_ctx.path(Label("@tinsmith//kernels/cmsis_nn:BUILD")).dirname
        headers, sources = ours.get_child("include"), ours.get_child("src")

        # They include each other by the second pair of names.
        folders = {"Include": headers, "Source": sources, "include": headers, "src": sources}
    for name, folder in folders.items():
        repository_ctx.symlink(folder, name)
    repository_ctx.file("BUILD", 'load("@tinsmith//:rules.bzl", "cc_library")\n\n' + _BUILD)

cmsis_nn_repository = repository_rule(
    implementation = _cmsis_nn_impl,
    environ = ["CMSIS_NN"],
    doc = """CMSIS-NN from the folder that the variable CMSIS_NN names, a checkout of github.com/ARM-software/CMSIS-NN.

    Without it Tinsmith's own kernels, rearranged, stand in for it, so that this example builds anywhere.
    """,
)
