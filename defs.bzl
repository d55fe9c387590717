"""Rules of this repository: `load("//:defs.bzl", "nn_library", "nn_test", "tinsmith_py_library", "tinsmith_py_test")`."""

_PYTEST_MAIN = "//third_party/python:pytest_main.py"

def tinsmith_py_library(name, deps = [], data = [], **kwargs):
    """A Python library of this repository: the folder's `tinsmith_<name>` package, typed and importable.

    Args:
      name: the folder's name; `fusion` packages `tinsmith_fusion/`.
      deps: libraries and third-party wheels (`//third_party/python:numpy`) that it imports.
      data: files it reads at run time besides those in its package folder.
      **kwargs: further attributes of py_library.
    """
    package = "tinsmith_" + name
    native.py_library(
        name = name,
        srcs = native.glob([package + "/**/*.py"]),
        data = data + native.glob([package + "/**"], exclude = ["**/*.py", "**/*.pyc", "**/__pycache__/**"]),
        imports = ["."],
        srcs_version = "PY3",
        visibility = kwargs.pop("visibility", ["//visibility:public"]),
        deps = deps,
        **kwargs
    )

def tinsmith_py_test(name, srcs, deps = [], data = [], args = [], size = "small", **kwargs):
    """Runs pytest on test files.

    Args:
      name: the test's name, by custom that of its file.
      srcs: test files, all of them given to pytest.
      deps: what they import; pytest and a `tests/conftest.py` beside them are added.
      data: files they read, found relative to the test file.
      args: further pytest options.
      size: Bazel's test size.
      **kwargs: further attributes of py_test, such as `timeout` and `tags`.
    """
    native.py_test(
        name = name,
        size = size,
        srcs = srcs + [_PYTEST_MAIN] + native.glob(["tests/conftest.py"], allow_empty = True),
        main = _PYTEST_MAIN,
        args = ["$(rootpath {})".format(source) for source in srcs] + args,
        data = data,
        python_version = "PY3",
        srcs_version = "PY3",
        deps = deps + ["//third_party/python:pytest"],
        **kwargs
    )
