"""Where the simulator is looked for, and how it is compiled where it is not found."""

import shutil
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from tinsmith_soc import MissingSimulatorError, UnknownChipError, chip, chips, simulator
from tinsmith_toolchains import find_zig

_PACKAGE = Path(__file__).parents[1] / "tinsmith_soc"
_ROOM = "platforms/simulators/soc"

# Stands in for the wheel's compiler: its last argument is the file to write.
_COMPILER = """#!/bin/sh
if [ "$1" = version ]; then echo 1.2.3; exit; fi
echo "$@" >> {log}
case "$*" in *broken.cc*) echo "broken.cc:1: error"; exit 1;; esac
for last; do :; done
echo made > "$last"
"""


@pytest.fixture(autouse=True)
def forget() -> Iterator[None]:
    simulator.cache_clear()
    find_zig.cache_clear()
    yield
    simulator.cache_clear()
    find_zig.cache_clear()


@pytest.fixture
def wheel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The package as a wheel has it, with small sources, a compiler of its own and an empty cache."""
    package = tmp_path / "site/tinsmith_soc"
    shutil.copytree(_PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("isa/a.cc", "isa/a.h", "model/b.cc", "tool/main.cc", "chips/tiny.soc"):
        path = package / "sources" / _ROOM / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name, encoding="utf-8")
    compiler = tmp_path / "zig"
    compiler.write_text(_COMPILER.format(log=tmp_path / "log"), encoding="utf-8")
    compiler.chmod(compiler.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("TINSMITH_ZIG", str(compiler))
    monkeypatch.setenv("TINSMITH_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.delenv("TINSMITH_SOC_DIR", raising=False)
    monkeypatch.setattr("tinsmith_soc.program._HERE", package)
    return tmp_path


def test_folder_of_the_environment_comes_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TINSMITH_SOC_DIR", str(tmp_path))
    with pytest.raises(MissingSimulatorError, match=r"no soc is in it"):
        simulator()
    (tmp_path / "soc").write_text("", encoding="utf-8")
    assert simulator() == tmp_path / "soc"


def test_program_is_found_from_any_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "soc").write_text("", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TINSMITH_SOC_DIR", ".")
    assert simulator() == tmp_path / "soc"


def test_sources_of_a_wheel_are_compiled_once(wheel: Path) -> None:
    program = simulator()
    simulator.cache_clear()

    assert simulator() == program
    assert program.is_relative_to(wheel / "cache")
    assert program.read_text(encoding="utf-8") == "made\n"
    (command,) = (wheel / "log").read_text(encoding="utf-8").splitlines()
    assert "c++ -std=c++20 -O2" in command
    assert f"-I {wheel}/site/tinsmith_soc/sources " in command
    for name in ("isa/a.cc", "model/b.cc", "tool/main.cc"):
        assert f"{_ROOM}/{name}" in command


def test_devices_from_elsewhere_are_compiled_with_it(wheel: Path) -> None:
    device = wheel / "unit.cc"
    device.write_text("a device", encoding="utf-8")
    program = simulator((device,))
    assert program != simulator()
    first, _ = (wheel / "log").read_text(encoding="utf-8").splitlines()
    assert f"{_ROOM}/tool/main.cc {device} -o" in first
    device.write_text("another", encoding="utf-8")
    simulator.cache_clear()
    assert simulator((device,)) != program


def test_changed_header_makes_another_program(wheel: Path) -> None:
    before = simulator()
    (wheel / "site/tinsmith_soc/sources" / _ROOM / "isa/a.h").write_text("other", encoding="utf-8")
    simulator.cache_clear()
    assert simulator() != before


def test_compilers_error_is_told(wheel: Path) -> None:
    (wheel / "site/tinsmith_soc/sources" / _ROOM / "isa/broken.cc").write_text("", encoding="utf-8")
    with pytest.raises(MissingSimulatorError, match=r"cannot be: [\s\S]*broken.cc:1: error"):
        simulator()


def test_without_sources_the_message_says_what_to_do(wheel: Path) -> None:
    shutil.rmtree(wheel / "site/tinsmith_soc/sources" / _ROOM / "isa")
    shutil.rmtree(wheel / "site/tinsmith_soc/sources" / _ROOM / "model")
    shutil.rmtree(wheel / "site/tinsmith_soc/sources" / _ROOM / "tool")
    with pytest.raises(MissingSimulatorError, match=r"bazel build .*TINSMITH_SOC_DIR"):
        simulator()


def test_chips_are_found_by_name() -> None:
    assert "pulp-open" in chips()
    assert "l1_banks" in chip("pulp-open").read_text(encoding="utf-8")
    with pytest.raises(UnknownChipError, match=r"'gap99': expected one of .*pulp-open"):
        chip("gap99")
