"""MODULE.bazel agrees with the files that say the same; Bazel 4 would not notice."""

import ast
import re
import tomllib
from collections.abc import Iterator

from checkout import ROOT, files, listed

_DECLARED = re.compile(r'\bname = "(tinsmith_\w+)"')


def _calls(name: str) -> Iterator[ast.Call]:
    for node in ast.walk(ast.parse((ROOT / "MODULE.bazel").read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == name:
            yield node


def test_every_repository_of_a_workspace_is_one_of_the_module() -> None:
    declared = set(listed("GROUPS", "third_party/python/wheels.bzl"))
    for path in files(".bzl"):
        declared.update(_DECLARED.findall((ROOT / path).read_text(encoding="utf-8")))
    used = {ast.literal_eval(name) for call in _calls("use_repo") for name in call.args[1:]}
    assert used == declared


def test_the_module_has_the_version_of_the_command() -> None:
    project = tomllib.loads((ROOT / "driver/pyproject.toml").read_text(encoding="utf-8"))["project"]
    (module,) = _calls("module")
    arguments = {word.arg: ast.literal_eval(word.value) for word in module.keywords}
    assert arguments["version"] == project["version"]
