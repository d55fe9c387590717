"""Each library builds its own wheel, and works from it with nothing but the wheels it declares."""

import importlib.util
import json
import os
import re
import subprocess
import sys
import tomllib
import zipfile
from email.parser import Parser
from functools import cache
from pathlib import Path

import pytest
from checkout import ROOT, copy_to, listed

_LIBRARIES = listed("LIBRARIES")

# Every module of the package, imported with `sys.path` as given.
_IMPORT_ALL = """
import importlib, pkgutil, sys
package = importlib.import_module(sys.argv[1])
for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
    if not module.name.endswith("__main__") and module.name not in sys.argv[2:]:
        importlib.import_module(module.name)
print(package.__file__)
"""


# A wheel that everything else does without, so it is no part of what a library is tried with.
_LEFT_OUT = "torch"

_WITH_TORCH = (
    "tinsmith_quantization.torch_qat",
    "tinsmith_quantization.torch_ranges",
    "tinsmith_quantization.torch_rounding",
)
"""Modules that it is an extra for."""


@cache
def _requirements(folder: str, extras: frozenset[str] | None) -> list[tuple[str, frozenset[str]]]:
    """What a library declares, and with which extras; with some of its own extras, or with all if None."""
    text = (ROOT / folder / "pyproject.toml").read_text(encoding="utf-8")
    project = tomllib.loads(text)["project"]
    declared: list[str] = [*project.get("dependencies", [])]
    optional: dict[str, list[str]] = project.get("optional-dependencies", {})
    for extra, requirements in optional.items():
        if extra in extras if extras is not None else extra != _LEFT_OUT:
            declared += requirements
    found: list[tuple[str, frozenset[str]]] = []
    for requirement in declared:
        match = re.match(r"([A-Za-z0-9._-]+)(?:\[([^\]]*)\])?", requirement)
        assert match is not None, requirement
        wanted = re.split(r"\s*,\s*", match[2]) if match[2] else []
        assert not wanted or set(wanted) <= _extras(match[1]), requirement
        found.append((match[1], frozenset(wanted)))
    return found


_FOLDERS = {"tinsmith-" + name.split("/")[-1].replace("_", "-"): name for name in _LIBRARIES}


def _extras(name: str) -> set[str]:
    """The extras of one of our own libraries."""
    text = (ROOT / _FOLDERS[name] / "pyproject.toml").read_text(encoding="utf-8")
    return {*tomllib.loads(text)["project"].get("optional-dependencies", {})}


def _with_dependencies(folder: str, extras: frozenset[str] | None = None) -> set[str]:
    """The folder and those of our own libraries that it declares, directly or not."""
    found = {folder}
    for requirement, wanted in _requirements(folder, extras):
        if requirement in _FOLDERS:
            found |= _with_dependencies(_FOLDERS[requirement], wanted)
    return found


class Site:
    """Wheels of our libraries, each built when first asked for and unpacked into a folder of its own."""

    def __init__(self, tree: Path, target: Path) -> None:
        self._tree = tree
        self._target = target

    def unpacked(self, folder: str) -> Path:
        unpacked = self._target / "unpacked" / folder
        if not unpacked.exists():
            with zipfile.ZipFile(self._build(folder)) as wheel:
                wheel.extractall(unpacked)
        return unpacked

    def _build(self, folder: str) -> Path:
        wheels = self._target / "wheels" / folder
        result = subprocess.run(
            [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(wheels)],
            cwd=self._tree / folder,
            capture_output=True,
            text=True,
            check=False,
            env=dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path)),
        )
        if result.returncode != 0:
            pytest.fail(f"{folder}: {result.stdout}{result.stderr[-2000:]}", pytrace=False)
        return next(wheels.glob("*.whl"))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    return Site(copy_to(tmp_path_factory.mktemp("tree")), tmp_path_factory.mktemp("site"))


def _installed_elsewhere() -> list[str]:
    """sys.path without this repository: third-party wheels and Python's own library."""
    return [path for path in sys.path if path and not Path(path).is_relative_to(ROOT)]


@pytest.mark.parametrize("folder", _LIBRARIES)
def test_wheel_imports_with_what_it_declares(folder: str, site: Site) -> None:
    if folder == "frontends/torch" and importlib.util.find_spec("torch") is None:
        pytest.skip("PyTorch is absent")
    package = "tinsmith_" + folder.split("/")[-1]
    unpacked = site.unpacked(folder)
    paths = [str(site.unpacked(name)) for name in sorted(_with_dependencies(folder))]
    without = _WITH_TORCH if importlib.util.find_spec("torch") is None else ()
    result = subprocess.run(
        [sys.executable, "-c", _IMPORT_ALL, package, *without],
        cwd=unpacked,
        capture_output=True,
        text=True,
        check=False,
        env=dict(os.environ, PYTHONPATH=os.pathsep.join(paths + _installed_elsewhere())),
    )
    assert result.returncode == 0, result.stderr
    assert Path(result.stdout.strip()).is_relative_to(unpacked)


def test_wheel_of_the_planner_plans_with_nothing_else(site: Site, tmp_path: Path) -> None:
    buffers = tmp_path / "buffers.csv"
    buffers.write_text("id,lower,upper,size\na,0,2,8\nb,1,3,8\nc,2,4,8\n", encoding="utf-8")
    result = subprocess.run(
        [sys.executable, "-I", "-S", "-c", _PLAN_ALONE, str(buffers)],
        cwd=site.unpacked("passes/allocation"),
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    assert "16 bytes, optimal" in result.stdout


def test_wheel_of_the_scheduler_orders_with_nothing_else(site: Site, tmp_path: Path) -> None:
    graph = tmp_path / "graph.json"
    nodes = [{"name": "y", "reads": ["x"]}]
    fields = {"stores": {"x": 8, "y": 4}, "inputs": ["x"], "outputs": ["y"], "nodes": nodes}
    graph.write_text(json.dumps({"tinsmith_order": 1, **fields}), encoding="utf-8")
    result = subprocess.run(
        [sys.executable, "-I", "-S", "-c", _ORDER_ALONE, str(graph)],
        cwd=site.unpacked("passes/scheduling"),
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    assert "peak 12 bytes, optimal" in result.stdout


_ORDER_ALONE = """
import sys
sys.path.insert(0, ".")
from tinsmith_scheduling.command import main
sys.exit(main(sys.argv[1:]))
"""


_PLAN_ALONE = """
import sys
sys.path.insert(0, ".")
from tinsmith_allocation.command import main
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.parametrize("folder", _LIBRARIES)
def test_wheel_holds_the_package_and_no_tests(folder: str, site: Site) -> None:
    package = "tinsmith_" + folder.split("/")[-1]
    unpacked = site.unpacked(folder)
    packed = {path.relative_to(unpacked) for path in unpacked.rglob("*") if path.is_file()}
    ours = {
        path.relative_to(ROOT / folder)
        for path in (ROOT / folder / package).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert ours <= packed
    assert Path(package, "py.typed") in packed
    assert not [path for path in packed if "tests" in path.parts]


@pytest.mark.parametrize("target", ["host", "pulp-open"])
def test_command_of_the_wheels_verifies_a_network(target: str, site: Site, tmp_path: Path) -> None:
    """On pulp-open with nobody's simulator: the command compiles its own, into an empty cache."""
    paths = [str(site.unpacked(name)) for name in sorted(_with_dependencies("driver"))]
    digits = ROOT / "examples" / "digits"
    model, inputs = str(digits / "digits_int8.tflite"), str(digits / "digits_test.npz")
    verify = ["verify", model, "--target", target, "--inputs", inputs, "--samples", "2"]
    result = subprocess.run(
        [sys.executable, "-m", "tinsmith_driver", *verify],
        cwd=site.unpacked("driver"),
        capture_output=True,
        text=True,
        check=False,
        env=dict(
            os.environ,
            PYTHONPATH=os.pathsep.join(paths + _installed_elsewhere()),
            TINSMITH_CACHE_DIR=str(tmp_path),
            TINSMITH_SOC_DIR="",
        ),
    )
    assert result.returncode == 0, result.stderr
    assert result.stdout.endswith("bit-exact\n")
    built = [path.name for path in tmp_path.glob("simulators/*/*")]
    assert built == (["soc"] if target == "pulp-open" else [])


def test_command_of_the_wheels_bundles_a_network(site: Site, tmp_path: Path) -> None:
    paths = [str(site.unpacked(name)) for name in sorted(_with_dependencies("driver"))]
    bundle = tmp_path / "bundle"
    model = str(ROOT / "examples" / "digits" / "digits_int8.tflite")
    options = ["compile", model, "--target", "host", "--bundle", str(bundle)]
    result = subprocess.run(
        [sys.executable, "-m", "tinsmith_driver", *options],
        cwd=site.unpacked("driver"),
        capture_output=True,
        text=True,
        check=False,
        env=dict(os.environ, PYTHONPATH=os.pathsep.join(paths + _installed_elsewhere())),
    )
    assert result.returncode == 0, result.stderr
    assert (bundle / "LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()
    assert (bundle / "src" / "tinsmith_reference_conv2d_s8.c").is_file()


@pytest.mark.parametrize("folder", _LIBRARIES)
def test_wheel_says_what_it_is(folder: str, site: Site) -> None:
    file = next(site.unpacked(folder).glob("*.dist-info")) / "METADATA"
    metadata = Parser().parsestr(file.read_text(encoding="utf-8"))
    assert metadata["Name"] == "tinsmith-" + folder.split("/")[-1].replace("_", "-")
    assert metadata["License-Expression"] == "Apache-2.0"
    assert metadata["Requires-Python"] == ">=3.11"
    assert metadata["Summary"]


@pytest.mark.parametrize("folder", _LIBRARIES)
def test_library_has_a_manual_and_a_changelog(folder: str) -> None:
    assert (ROOT / folder / "README.md").exists()
    assert (ROOT / folder / "CHANGELOG.md").exists()


def test_wheel_of_the_whole_is_metadata_alone(site: Site) -> None:
    unpacked = site.unpacked("distribution")
    (folder,) = unpacked.iterdir()
    assert folder.name.endswith(".dist-info")
    metadata = Parser().parsestr((folder / "METADATA").read_text(encoding="utf-8"))
    assert metadata["Name"] == "tinsmith"
    pins = [line for line in metadata.get_all("Requires-Dist", []) if "extra ==" not in line]
    assert len(pins) == len(_LIBRARIES) - 1  # that which wants PyTorch is an extra
    assert all("==" in pin for pin in pins)
