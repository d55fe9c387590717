"""A plug-in from another repository, examples/out_of_tree, on PYTHONPATH or named: from model to tested firmware."""

import os
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from checkout import ROOT
from tinsmith_c.testing import host_compiler
from tinsmith_emulators import MissingEmulatorError, need_emulator
from tinsmith_target import target

EXAMPLE = ROOT / "examples" / "out_of_tree"
PLUGIN = "thresholds.plugin:PLUGIN"


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy that announces nothing."""
    folder = tmp_path_factory.mktemp("package")
    shutil.copytree(EXAMPLE / "thresholds", folder / "thresholds")
    return folder


@pytest.fixture(scope="module")
def announced(tmp_path_factory: pytest.TempPathFactory, package: Path) -> Path:
    """A copy that announces its plug-in as a source package does."""
    folder = tmp_path_factory.mktemp("announced")
    shutil.copytree(package, folder, dirs_exist_ok=True)
    shutil.copyfile(EXAMPLE / "pyproject.toml", folder / "pyproject.toml")
    return folder


def tinsmith(
    package: Path | None, *arguments: str, more: Path | None = None
) -> subprocess.CompletedProcess[str]:
    paths = [str(folder) for folder in (package, more) if folder]
    return subprocess.run(
        [sys.executable, "-m", "tinsmith_driver", *arguments],
        env=dict(os.environ, PYTHONPATH=os.pathsep.join([*paths, *sys.path])),
        cwd=package,
        capture_output=True,
        text=True,
        check=False,
    )


def model(*more: str) -> list[str]:
    return [str(EXAMPLE / "network.tflite"), *more]


def test_the_model_is_what_its_script_writes() -> None:
    script = runpy.run_path(str(EXAMPLE / "make_model.py"))
    assert script["model"]() == (EXAMPLE / "network.tflite").read_bytes()


def test_without_the_plug_in_its_operator_is_refused(tmp_path: Path) -> None:
    result = tinsmith(tmp_path, "check", *model("--target", "host"))
    assert result.returncode == 1
    assert "CUSTOM 'ThresholdedRelu' is not supported" in result.stderr


@pytest.mark.parametrize("name", ["host", "cortex-m4"])
def test_network_runs_bit_exact(name: str, announced: Path) -> None:
    try:
        need_emulator(target(name).board)
    except MissingEmulatorError as error:
        pytest.skip(str(error))
    result = tinsmith(announced, "verify", *model("--target", name, "--layers", "--verify"))
    assert result.returncode == 0, result.stderr
    assert result.stdout.endswith("layers: all equal\nbit-exact\n")
    lines = [line for line in result.stdout.splitlines()[2:] if not line.startswith(" ")]
    rows = [line.split()[:3] for line in lines[:3]]
    # Its pass let the pool come first, and its kernel computes the operator.
    assert [row[1] for row in rows] == ["conv2d", "max_pool2d", "thresholded_relu"]
    assert rows[2][2] == "thresholds_relu_s8"


def test_its_kernel_of_two_operators_is_taken_where_its_back_end_is_preferred(
    announced: Path,
) -> None:
    preferred = ("--target", "host", "--backend", "thresholds", "--layers", "--verify")
    result = tinsmith(announced, "verify", *model(*preferred))
    assert result.returncode == 0, result.stderr
    assert result.stdout.endswith("layers: all equal\nbit-exact\n")
    assert "thresholds_max_pool_relu_s8" in result.stdout


def test_its_kernels_are_bundled_like_ours(announced: Path, tmp_path: Path) -> None:
    bundle = tmp_path / "bundle"
    result = tinsmith(
        announced, "compile", *model("--target", "host", "--bundle", str(bundle), "--no-progress")
    )
    assert result.returncode == 0, result.stderr
    sources = {path.name for path in (bundle / "src").glob("*.c")}
    assert "tinsmith_thresholds_thresholds.c" in sources
    compiler = host_compiler()
    if compiler is None:
        pytest.skip("no C compiler on this machine")
    program = tmp_path / "check"
    files = [*(bundle / "src").glob("*.c"), bundle / "example" / "main.c"]
    subprocess.run([compiler, f"-I{bundle / 'src'}", *files, "-o", program], check=True)
    assert subprocess.run([program], capture_output=True, check=True).stdout.endswith(b"PASS (0)\n")


def test_a_plan_shows_both_operators_and_what_lies_between(announced: Path) -> None:
    shown = ("--target", "host", "--backend", "thresholds", "--after", "lower")
    text = " ".join(tinsmith(announced, "show", *model(*shown)).stdout.split())
    assert 'kernel "thresholds_max_pool_relu_s8": %pooled = max_pool2d(' in text
    assert " then thresholded_relu(_) {theta=" in text


@pytest.mark.parametrize("place", ["before", "after", "twice"])
def test_the_plug_in_may_be_named_on_either_side_of_the_command(place: str, package: Path) -> None:
    named = ["--plugin", PLUGIN]
    before, after = {"before": (named, []), "after": ([], named), "twice": (named, named)}[place]
    result = tinsmith(package, *before, "passes", *after)
    assert result.returncode == 0, result.stderr
    names = [line.split()[0] for line in result.stdout.splitlines()]
    assert names[names.index("pool-before-thresholds") - 1] == "fuse-activations"


def test_what_it_brings_is_among_the_choices(announced: Path) -> None:
    said = tinsmith(announced, "plugins").stdout.split("\n\n")[0]
    brought = [
        " ".join(line.split()[1:5]) for line in said.splitlines() if line.startswith("thresholds ")
    ]
    assert brought == [
        "operators thresholded_relu",
        "converters ThresholdedRelu of tflite",
        "passes pool-before-thresholds",
        "back ends thresholds",
    ]
    result = tinsmith(announced, "check", *model("--target", "host", "--backend", "lost"))
    assert result.returncode == 2
    for name in ("cmsis_nn", "reference", "thresholds"):
        assert name in result.stderr


def test_its_pass_may_be_left_out(announced: Path) -> None:
    without = ("--target", "host", "--without", "pool-before-thresholds")
    shown = tinsmith(announced, "show", *model(*without)).stdout
    assert shown.index("thresholded_relu(") < shown.index("max_pool2d(")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "from tinsmith_cmsis_nn.plugin import PLUGIN as THEIRS\n"
            "PLUGIN = Plugin('mine', backends=THEIRS.backends)",
            "two plug-ins bring back end 'cmsis_nn': plug-in 'tinsmith_cmsis_nn' "
            "(tinsmith_cmsis_nn.plugin:PLUGIN) and plug-in 'mine' (mine:PLUGIN)",
        ),
        (
            "from tinsmith_fusion import FusePadding\n"
            "PLUGIN = Plugin('mine', passes=(PassEntry(FusePadding, after='lower'),))",
            "pass 'fuse-padding' (after 'lower') takes a Graph, where there is a Program",
        ),
        (
            "from tinsmith_plugins import Converter\n"
            "PLUGIN = Plugin('mine', converters=(Converter('tflite', 'Op', 3),))",
            "converter of 'Op': expected a tinsmith_tflite.Rule, got int",
        ),
    ],
)
def test_plug_ins_that_do_not_go_together_are_named(
    text: str, message: str, announced: Path, tmp_path: Path
) -> None:
    head = "from tinsmith_plugins import PassEntry, Plugin\n"
    (tmp_path / "mine.py").write_text(f"{head}{text}\n", encoding="utf-8")
    checked = ("--plugin", "mine:PLUGIN", "check", *model("--target", "host"))
    result = tinsmith(announced, *checked, more=tmp_path)
    assert result.returncode == 2
    assert f"tinsmith: error: {message}" in result.stderr


def test_an_emulator_may_come_from_a_plug_in(announced: Path, tmp_path: Path) -> None:
    (tmp_path / "nothing.py").write_text(
        "from dataclasses import fields, replace\n"
        "from tinsmith_plugins import Plugin, Runner\n"
        "from tinsmith_target import Qemu, target\n"
        "class Nothing(Qemu):\n"
        "    pass\n"
        "ours = target('cortex-m4')\n"
        "given = {f.name: getattr(ours.board.emulator, f.name) for f in fields(Qemu)}\n"
        "board = replace(ours.board, name='nothing', emulator=Nothing(**given))\n"
        "runner = Runner(Nothing, print, lambda board, elf: ['echo', elf.name], str)\n"
        "PLUGIN = Plugin('nothing', targets=(replace(ours, name='no-m4', board=board),), runners=(runner,))\n"
        "ALONE = replace(PLUGIN, runners=())\n",
        encoding="utf-8",
    )
    verified = ("verify", *model("--target", "no-m4"))
    ran = tinsmith(announced, "--plugin", "nothing:PLUGIN", *verified, more=tmp_path)
    assert "no-m4: the program ended without writing output.bin" in ran.stderr
    alone = tinsmith(announced, "--plugin", "nothing:ALONE", *verified, more=tmp_path)
    assert alone.returncode == 2
    assert (
        "board nothing is emulated by Nothing, which nobody runs; there are runners of Qemu, "
        in alone.stderr
    )


def test_a_target_and_its_board_may_come_from_a_plug_in(announced: Path, tmp_path: Path) -> None:
    (tmp_path / "boards.py").write_text(
        "from dataclasses import replace\n"
        "from tinsmith_plugins import Plugin\n"
        "from tinsmith_target import target\n"
        "ours = target('cortex-m4')\n"
        "board = replace(ours.board, name='small', stack_bytes=2048)\n"
        "PLUGIN = Plugin('boards', targets=(replace(ours, name='small-m4', board=board),))\n",
        encoding="utf-8",
    )
    named = ("--plugin", "boards:PLUGIN")
    listed = tinsmith(announced, "targets", *named, more=tmp_path).stdout.splitlines()
    (row,) = (line for line in listed if line.startswith("small-m4"))
    assert row.split()[:3] == ["small-m4", "small", "cmsis_nn"]
    checked = tinsmith(announced, "check", *model("--target", "small-m4"), *named, more=tmp_path)
    assert checked.returncode == 0, checked.stderr
    assert "small-m4 runs network: " in checked.stdout
