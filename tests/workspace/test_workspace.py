"""What README.md tells Bazel users to write works in a workspace of theirs, and so do those in examples.

Skipped where there is no Bazel, or none of the kind. Everything is fetched and built from nothing, in its own folder.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from blocks import blocks
from checkout import ROOT, copy_to

# Of WORKSPACE or MODULE.bazel, and BUILD; without blank lines.
_MOST_LINES = 12
_FIRMWARE_TESTS = ("//:digits_test_cortex_m4", "//:firmware_test")


@dataclass(frozen=True)
class Outside:
    """A copy of the repository, and a Bazel for workspaces elsewhere that share one output base.

    mode: "workspace" or "module".
    """

    tree: Path
    folder: Path
    mode: str

    def bazel(
        self, workspace: Path, command: str, *arguments: str
    ) -> subprocess.CompletedProcess[str]:
        modes = {
            "workspace": [] if _major() < 7 else ["--noenable_bzlmod", "--enable_workspace"],
            "module": ["--enable_bzlmod", "--noenable_workspace", "--lockfile_mode=off"],
        }
        # Debian's system-wide settings keep every sandbox, which the next command then has to remove.
        options = ["--nosandbox_debug", *modes[self.mode]]
        # What one workspace has built of the repository, the next one takes; tests run all the same.
        options.append(f"--disk_cache={self.folder / 'cache'}")
        if command == "test":
            options.append("--nocache_test_results")
        options += _run([str(self.tree / "bazelw"), "offline-options"], self.tree).stdout.split()
        return _run(
            [
                "bazel",
                "--nohome_rc",
                f"--output_base={self.folder / 'base'}",
                "--max_idle_secs=60",
                command,
                *(options if command != "shutdown" else []),
                *arguments,
            ],
            workspace,
        )


@pytest.fixture(scope="module", params=["workspace", "module"])
def outside(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Outside]:
    if shutil.which("bazel") is None:
        pytest.skip("there is no Bazel on the PATH")
    mode = str(request.param)
    if mode == "module" and _major() < 7:
        pytest.skip("this Bazel knows no modules")
    folder = tmp_path_factory.mktemp(mode)
    outside = Outside(copy_to(folder / "tinsmith"), folder, mode)
    yield outside
    outside.bazel(outside.tree / "examples/firmware", "shutdown")


def test_lines_of_the_readme_give_a_passing_nn_test(outside: Outside) -> None:
    workspace = outside.folder / "readme"
    workspace.mkdir()
    written = _write_readme_files(
        workspace, "WORKSPACE" if outside.mode == "workspace" else "MODULE.bazel"
    )
    assert len([line for line in written if line.strip()]) <= _MOST_LINES
    digits = outside.tree / "examples/digits"
    shutil.copyfile(digits / "digits_int8.tflite", workspace / "kws.tflite")
    shutil.copyfile(digits / "digits_test.npz", workspace / "kws.npz")
    outside.bazel(workspace, "build", "--nobuild", "//...")
    # The kernels of one core take a minute; those of the other are compiled in //tests/cross.
    output = outside.bazel(workspace, "test", "//:kws_test_cortex_m4").stdout
    assert re.findall(r"^//:(\w+) +PASSED", output, re.MULTILINE) == ["kws_test_cortex_m4"]


def test_firmware_of_the_example_runs(outside: Outside) -> None:
    firmware = outside.tree / "examples/firmware"
    # Without the library for this computer, which the plug-in's program has, too.
    output = outside.bazel(firmware, "test", *_FIRMWARE_TESTS).stdout
    assert re.findall(r"^//:(\w+) +PASSED", output, re.MULTILINE) == [
        "digits_test_cortex_m4",
        "firmware_test",
    ]


def test_plug_in_of_the_example_goes_to_compiler_and_linker(outside: Outside) -> None:
    example = outside.tree / "examples/out_of_tree"
    output = outside.bazel(example, "test", "//...").stdout
    assert re.findall(r"^//:(\w+) +PASSED", output, re.MULTILINE) == [
        "network_test_cortex_m4",
        "network_test_host",
    ]
    said = outside.bazel(example, "run", "//:program").stdout
    assert re.search(r"^\d+ of 512 features are above the threshold$", said, re.MULTILINE), said


def test_nothing_runs_when_nothing_changed(outside: Outside) -> None:
    firmware = outside.tree / "examples/firmware"
    outside.bazel(firmware, "build", *_FIRMWARE_TESTS)
    said = outside.bazel(firmware, "build", *_FIRMWARE_TESTS).stderr
    assert re.search(r"INFO: (0 processes|1 process: 1 internal)", said), said


def test_other_kernels_take_the_place_of_ours(outside: Outside) -> None:
    firmware = outside.tree / "examples/firmware"
    output = outside.bazel(firmware, "test", "--config=vendor", "//:firmware_test").stdout
    assert re.findall(r"^//:(\w+) +PASSED", output, re.MULTILINE) == ["firmware_test"]
    kernels = r'filter("kernels/cmsis_nn:cmsis_nn$", deps(//:firmware_test))'
    assert outside.bazel(firmware, "cquery", "--config=vendor", kernels).stdout == ""


def test_compiler_of_this_machine_is_refused_for_a_board(outside: Outside) -> None:
    if _major() >= 7:
        pytest.skip("this Bazel always chooses compilers by platform")
    unresolved = ["--noincompatible_enable_cc_toolchain_resolution", "--platforms=//:board"]
    with pytest.raises(AssertionError, match="build --incompatible_enable_cc_toolchain_resolution"):
        outside.bazel(outside.tree / "examples/firmware", "build", *unresolved, "//:digits")


def _write_readme_files(workspace: Path, root_file: str) -> list[str]:
    """Writes the blocks of README.md whose first line is `# NAME`, and gives their other lines."""
    files = {
        match[1]: match[2]
        for block in blocks(ROOT / "README.md")
        if (
            match := re.match(
                r"# (WORKSPACE|MODULE.bazel|BUILD)\b[^\n]*\n(.*)", block.text, re.DOTALL
            )
        )
    }
    lines: list[str] = []
    for name in (root_file, "BUILD"):
        (workspace / name).write_text(files[name], encoding="utf-8")
        lines += files[name].splitlines()
    return lines


def _major() -> int:
    """Of the Bazel on the PATH; Debian's gives its version to `--version` alone."""
    found = re.search(r"bazel (\d+)", _run(["bazel", "--version"], Path("/")).stdout)
    return int(found[1]) if found else 4


def _run(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    # The Python and pip that fetched the wheels of the build around this one.
    environment = {"HOME": str(folder), "TINSMITH_PYTHON": sys.executable} | os.environ
    result = subprocess.run(
        command,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, (
        f"{' '.join(command)}\n{result.stdout[-4000:]}\n{result.stderr[-4000:]}"
    )
    return result
