"""Which library may import which (docs: who may import whom); Bazel alone does not notice an undeclared import."""

import ast
import itertools
import re
import sys
import tomllib
from fnmatch import fnmatch
from pathlib import Path

import pytest
from checkout import ROOT, listed

_LIBRARIES = listed("LIBRARIES")

# What a library's module `plugin` needs of all below it.
_BELOW_PLUGINS = {"tinsmith_ir", "tinsmith_target", "tinsmith_lowering"}
_IMPORTER = {"numpy", "tinsmith_ir", "tinsmith_plugins"}
_PASS = {"numpy", *_BELOW_PLUGINS, "tinsmith_plugins"}

# Modules that are not named as what brings them.
_MODULES = {"absl_py": "absl", "protobuf": "google"}

# The first line that fits a folder counts.
_MAY_IMPORT: tuple[tuple[str, set[str]], ...] = (
    ("ir", {"numpy"}),
    ("frontends/tensors", {"numpy", "tinsmith_ir"}),
    ("frontends/onnx", {*_IMPORTER, "tinsmith_tensors", "onnx", "google"}),
    ("frontends/torch", {*_IMPORTER, "tinsmith_tensors", "torch"}),
    ("frontends/tflite", {*_IMPORTER, "flatbuffers", "tflite"}),
    ("passes/allocation", {*_PASS, "ortools"}),
    # PyTorch only where a network is trained for its integers.
    ("passes/quantization", {*_PASS, "ortools", "torch"}),
    ("passes/scheduling", {*_PASS, "ortools"}),
    ("passes/placement", {*_PASS, "ortools"}),
    ("passes/tiling", {*_PASS, "ortools"}),
    ("passes/*", _PASS),
    # What it checks, others make: it believes nobody's code but Python's.
    ("plan_check", set()),
    ("lowering", {"numpy", "tinsmith_ir", "tinsmith_target"}),
    ("plugins", _BELOW_PLUGINS),
    ("backends/c", {"numpy", "tinsmith_ir", "tinsmith_target", "tinsmith_lowering"}),
    # Which layers become analog is a placement problem.
    ("backends/diana", {*_PASS, "tinsmith_c", "tinsmith_placement"}),
    ("backends/*", {*_PASS, "tinsmith_c"}),
    ("platforms/target", {"tinsmith_ir"}),
    ("platforms/boards", {"tinsmith_target"}),
    ("platforms/toolchains", {"tinsmith_ir", "tinsmith_target", "tinsmith_boards", "ziglang"}),
    ("platforms/simulators/soc", {"tinsmith_ir", "tinsmith_toolchains"}),
    (
        "platforms/emulators",
        {
            "tinsmith_ir",
            "tinsmith_plugins",
            "tinsmith_target",
            "tinsmith_boards",
            "tinsmith_toolchains",
            "tinsmith_soc",
        },
    ),
    # Importers, passes and back ends come to it as plug-ins. Of allocation it knows the plans that reports show, of
    # quantization what calibration data and schemes are, and what was lost.
    (
        "driver",
        {
            "numpy",
            "absl",
            "jinja2",
            *_BELOW_PLUGINS,
            "tinsmith_plugins",
            "tinsmith_allocation",
            "tinsmith_quantization",
            "tinsmith_plan_check",
            "tinsmith_c",
            "tinsmith_toolchains",
            "tinsmith_boards",
            "tinsmith_emulators",
            "tinsmith_soc",
        },
    ),
)


def package_of(folder: str) -> str:
    return "tinsmith_" + folder.split("/")[-1]


def imported_by(folder: str) -> dict[str, str]:
    """Top-level modules that a library imports besides itself and Python's own, each with one place."""
    found: dict[str, str] = {}
    for path in _files(folder):
        for node in ast.walk(_tree(path)):
            for module in _modules(node):
                found.setdefault(module, f"{path.relative_to(ROOT)}:{getattr(node, 'lineno', 0)}")
    # Type checkers bring _typeshed, the types of the standard library.
    own = {package_of(folder), "_typeshed", *sys.stdlib_module_names}
    return {module: place for module, place in found.items() if module not in own}


def _files(folder: str) -> list[Path]:
    return sorted((ROOT / folder / package_of(folder)).rglob("*.py"))


def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def _trees(folder: str) -> list[ast.Module]:
    return [_tree(path) for path in _files(folder)]


def _modules(node: ast.AST) -> list[str]:
    match node:
        case ast.Import(names=names):
            return [alias.name.split(".")[0] for alias in names]
        case ast.ImportFrom(module=str(module), level=0):
            return [module.split(".")[0]]
        case _:
            return []


def declared_by(folder: str) -> set[str]:
    """Module names of the dependencies in a library's pyproject.toml, those of extras included."""
    settings = tomllib.loads((ROOT / folder / "pyproject.toml").read_text(encoding="utf-8"))
    project = settings["project"]
    names: set[str] = set()
    extras: dict[str, list[str]] = project.get("optional-dependencies", {})
    for requirement in itertools.chain(project.get("dependencies", []), *extras.values()):
        match = re.match(r"[A-Za-z0-9._-]+", requirement)
        assert match is not None, requirement
        name = match.group().replace("-", "_").lower()
        names.add(_MODULES.get(name, name))
    return names


@pytest.mark.parametrize("folder", _LIBRARIES)
def test_imports_follow_the_layers(folder: str) -> None:
    allowed = next(modules for pattern, modules in _MAY_IMPORT if fnmatch(folder, pattern))
    wrong = {
        module: place for module, place in imported_by(folder).items() if module not in allowed
    }
    assert not wrong, f"{folder} may import {sorted(allowed)} only"


def test_driver_names_no_pass() -> None:
    """It imports plans from the library that makes them, but no pass: plug-ins bring those."""
    passes = {
        class_.name
        for folder in _LIBRARIES
        for tree in _trees(folder)
        for class_ in ast.walk(tree)
        if isinstance(class_, ast.ClassDef) and _is_pass(class_)
    }
    named = {
        alias.name
        for tree in _trees("driver")
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert "AllocateBuffers" in passes
    assert not passes & named


# What is left of tiling knows problems and plans alone.
_TILING_OF_PROGRAMS = {
    "constants",
    "dma",
    "formulate",
    "plugin",
    "refusal",
    "job_choice",
    "job_steps",
    "job_tiles",
    "rewrite",
    "tile",
    "tile_jobs",
    "ways",
}


def test_the_solver_of_tiling_knows_no_program() -> None:
    """It has errors and checks of the IR, and none of its records."""
    of_programs = {*_TILING_OF_PROGRAMS, "__init__"}
    solver = [path for path in _files("passes/tiling") if path.stem not in of_programs]
    imported = {
        name: path.name
        for path in solver
        for node in ast.walk(_tree(path))
        if isinstance(node, ast.ImportFrom)
        for name in _full_names(node)
    }
    allowed = ("tinsmith_ir.checked", "tinsmith_ir.errors", "tinsmith_ir.DoesNotFitError")
    own = tuple(f"tinsmith_tiling.{path.stem}." for path in solver)
    wrong = {
        name: file
        for name, file in imported.items()
        if name.startswith("tinsmith_") and not name.startswith((*allowed, *own))
    }
    assert {path.stem for path in solver} >= {"model", "solve", "check"}
    assert not wrong


# What is left of allocation knows blocks and plans alone, and may be installed without tinsmith_ir and numpy.
_ALLOCATION_OF_PROGRAMS = {
    "allocate",
    "ends",
    "holding",
    "lifetimes",
    "moving",
    "plugin",
    "program_check",
    "sliding",
    "spilling",
    "touches",
}


def test_planning_knows_no_program() -> None:
    """All that it takes of others is in `foundation`."""
    planning = _alone("passes/allocation", _ALLOCATION_OF_PROGRAMS)
    assert planning >= {"model", "check", "greedy", "exact", "search", "command"}


# What is left of scheduling knows tasks and stores alone, and may be installed without tinsmith_ir, too.
_SCHEDULING_OF_PROGRAMS = {"dependences", "plugin", "schedule"}


def test_ordering_knows_no_program() -> None:
    ordering = _alone("passes/scheduling", _SCHEDULING_OF_PROGRAMS)
    assert ordering >= {"problem", "heuristics", "exact", "search", "command"}


def _alone(folder: str, of_programs: set[str]) -> set[str]:
    """Modules that import no other library of ours: all but those of programs, and `foundation`."""
    alone = [path for path in _files(folder) if path.stem not in {*of_programs, "foundation"}]
    wrong = {
        name: path.name
        for path in alone
        for node in ast.walk(_tree(path))
        if isinstance(node, ast.ImportFrom)
        for name in _full_names(node)
        if name.startswith("tinsmith_") and not name.startswith(f"{package_of(folder)}.")
    }
    assert not wrong
    return {path.stem for path in alone}


def _full_names(node: ast.ImportFrom) -> list[str]:
    return [f"{node.module}.{alias.name}" for alias in node.names]


def _is_pass(class_: ast.ClassDef) -> bool:
    given = [node for node in class_.body if isinstance(node, ast.AnnAssign) and node.value]
    return {"name", "contract"} <= {ast.unparse(node.target) for node in given}


def test_networks_become_integers_without_torch() -> None:
    """Modules named after it import it, and nothing else of the library imports them."""
    others = [path for path in _files("passes/quantization") if "torch" not in path.stem]
    imported = {
        name for path in others for node in ast.walk(_tree(path)) for name in _all_names(node)
    }
    assert "tinsmith_quantization.ranges.ranges" in imported
    assert not {name for name in imported if "torch" in name}


def _all_names(node: ast.AST) -> list[str]:
    match node:
        case ast.Import(names=names):
            return [alias.name for alias in names]
        case ast.ImportFrom(module=str(module)):
            return [module]
        case _:
            return []


@pytest.mark.parametrize("folder", _LIBRARIES)
def test_imports_are_declared_dependencies(folder: str) -> None:
    undeclared = set(imported_by(folder)) - declared_by(folder)
    assert not undeclared, f"add to [project] dependencies of {folder}/pyproject.toml"


@pytest.mark.parametrize("folder", _LIBRARIES)
def test_package_is_found_and_typed(folder: str) -> None:
    package = ROOT / folder / package_of(folder)
    assert (package / "py.typed").exists()
    initializer = ast.parse((package / "__init__.py").read_text(encoding="utf-8"))
    assigned = {
        ast.unparse(target)
        for statement in initializer.body
        if isinstance(statement, ast.Assign | ast.AnnAssign)
        for target in (
            statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        )
    }
    # That of a module which is loaded when it is asked for.
    assigned |= {
        alias.asname
        for node in ast.walk(initializer)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.asname
    }
    assert "__all__" in assigned


def test_an_import_is_seen_wherever_it_stands() -> None:
    source = "def f():\n    import ortools.sat\nfrom tinsmith_ir import Graph\nfrom . import x\n"
    seen = [module for node in ast.walk(ast.parse(source)) for module in _modules(node)]
    assert sorted(seen) == ["ortools", "tinsmith_ir"]
