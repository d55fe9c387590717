"""What README.md tells people to type works, in the order it stands there, in a fresh copy of the tree.

Commands of a shell run (`./tinsmith` is the command that Bazel built), Python runs, BUILD snippets are held against
defs.bzl, C is compiled against what the commands before it wrote. A block that none of these fits fails.
"""

import ast
import importlib.util
import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from blocks import Block, blocks, commands
from checkout import ROOT, copy_to, listed
from tinsmith_toolchains import find_zig

_README = ROOT / "README.md"
_BLOCKS = blocks(_README)

# Hours of emulation, or Bazel inside Bazel: their arguments are checked instead.
_NOT_RUN = {"bench"}
_PROSE = {"text", "json", "console", ""}


def _identity(block: Block) -> str:
    return f"line{block.line}-{block.language or 'plain'}"


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the checkout whose ./tinsmith is the command under test, with the networks if they are to be had."""
    tree = copy_to(tmp_path_factory.mktemp("readme") / "tinsmith")
    for variable in ("TINSMITH_MLPERF_TINY_DIR", "TINSMITH_MLPERF_TINY_INPUTS_DIR"):
        if folder := os.environ.get(variable):
            for path in Path(folder).iterdir():
                shutil.copyfile(path, tree / path.name)
    command = tree / "tinsmith"
    binary = ROOT / "driver" / "tinsmith"
    run = binary if binary.exists() else f"{sys.executable} -m tinsmith_driver"
    command.write_text(f'#!/bin/sh\nexec {run} "$@"\n', encoding="utf-8")
    command.chmod(command.stat().st_mode | stat.S_IXUSR)
    return tree


@pytest.mark.parametrize("block", _BLOCKS, ids=_identity)
def test_block(block: Block, tree: Path) -> None:
    if block.language in ("sh", "bash"):
        for words in commands(block):
            _check_command(words, tree)
    elif block.language == "starlark":
        _check_build_file(block)
    elif block.language == "python":
        _run([sys.executable, "-c", block.text], tree)
    elif block.language == "c":
        _compile(block, tree)
    else:
        assert block.language in _PROSE, f"nothing here knows how to check {block.language}"


def test_the_first_two_commands_are_the_demo_and_the_tests() -> None:
    first = [words for block in _BLOCKS if block.language == "sh" for words in commands(block)]
    assert first[:2] == [["./tinsmith", "demo"], ["./bazelw", "test", "//..."]]


@pytest.mark.parametrize("folder", listed("LIBRARIES"))
def test_example_of_library_runs(folder: str, tree: Path) -> None:
    if folder == "frontends/torch" and importlib.util.find_spec("torch") is None:
        pytest.skip("PyTorch is absent")
    examples = [
        block.text for block in blocks(ROOT / folder / "README.md") if block.language == "python"
    ]
    assert examples, f"{folder}/README.md has no example in Python"
    _run([sys.executable, "-c", "\n".join(examples)], tree)


def test_from_torch_to_firmware(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if importlib.util.find_spec("torch") is None:
        pytest.skip("PyTorch is absent")
    monkeypatch.chdir(tree)
    names: dict[str, object] = {"__name__": "__main__"}
    for block in blocks(ROOT / "docs" / "pytorch.md"):
        if "torchao" in block.text and importlib.util.find_spec("torchao") is None:
            pytest.skip("torchao is absent")  # which all that follows is about
        if block.language == "python":
            # Each goes on with what those before it made.
            exec(block.text, names)
        elif block.language == "sh":
            for words in commands(block):
                _check_command(words, tree)


def _check_command(words: list[str], tree: Path) -> None:
    program, *arguments = words
    if program == "./bazelw":
        _check_labels(arguments)
    elif program == "./tinsmith" and arguments[0] in _NOT_RUN:
        _run([*words[:2], "--help"], tree)
    elif program == "./tinsmith":
        absent = [
            word
            for word in arguments
            if word.endswith((".tflite", ".npz")) and _is_absent(word, tree)
        ]
        if absent:
            pytest.skip(f"MLPerf Tiny models absent: {', '.join(absent)}")
        _run(words, tree)
    else:
        pytest.fail(f"nothing here knows how to check `{' '.join(words)}`", pytrace=False)


def _is_absent(word: str, tree: Path) -> bool:
    """Only files without a folder may be absent: those in folders are ours."""
    return "/" not in word and not word.startswith("-") and not (tree / word).exists()


def _check_labels(arguments: list[str]) -> None:
    """Every label names a package of this repository, and a target that its BUILD file speaks of."""
    labels = [word.split("=")[-1] for word in arguments if "//" in word]
    assert labels, arguments
    for label in labels:
        package, _, target = label.removeprefix("//").partition(":")
        if not package.endswith("..."):
            text = (ROOT / package / "BUILD").read_text(encoding="utf-8")
            wanted = target or package.split("/")[-1]
            assert wanted == "all" or wanted.replace("_", "-") in text.replace("_", "-"), label


def _check_build_file(block: Block) -> None:
    """Names are in the files that they are loaded from, and take the arguments that the snippet gives."""
    calls = [node for node in ast.walk(ast.parse(block.text)) if isinstance(node, ast.Call)]
    macros: dict[str, set[str]] = {}
    for call in calls:
        if ast.unparse(call.func) == "load":
            label, *names = (str(ast.literal_eval(argument)) for argument in call.args)
            there = _macros(ROOT / label.removeprefix("@tinsmith").removeprefix("//:"))
            assert set(names) <= set(there)
            macros |= there
    for call in calls:
        name = ast.unparse(call.func)
        if name in macros:
            unknown = {keyword.arg for keyword in call.keywords} - macros[name]
            assert not unknown or "**" in macros[name], f"{name} takes no {unknown}"


def _macros(file: Path) -> dict[str, set[str]]:
    """The arguments of each function of a .bzl file; `**` stands for any."""
    macros: dict[str, set[str]] = {}
    for node in ast.parse(file.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef):
            macros[node.name] = {argument.arg for argument in node.args.args}
            if node.args.kwarg is not None:
                macros[node.name].add("**")
    return macros


def _compile(block: Block, tree: Path) -> None:
    folders = [path.parent for path in tree.glob("*/*.h")]
    includes = [
        f"-I{folder}"
        for folder in [*folders, tree / "kernels/include", tree / "kernels/cmsis_nn/include"]
    ]
    source = tree / f"readme_{block.line}.c"
    source.write_text(block.text, encoding="utf-8")
    zig = find_zig()
    target = [
        "--target=thumbv7em-none-eabihf",
        "-mcpu=cortex-m4",
        "-resource-dir",
        str(zig.library),
    ]
    runtime = f"-I{tree / 'platforms/boards/tinsmith_boards/c/runtime'}"
    flags = ["-fsyntax-only", "-Wall", "-Werror", runtime, *includes]
    _run([str(zig.executable), "clang", *target, *flags, str(source)], tree)


def _run(words: list[str], tree: Path) -> None:
    result = subprocess.run(
        words, cwd=tree, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    if result.returncode != 0:
        shown = " ".join(words) if "\n" not in words[-1] else f"python:\n{words[-1]}"
        report = f"{shown}\nexit status {result.returncode}\n{result.stdout[-4000:]}{result.stderr[-4000:]}"
        pytest.fail(report, pytrace=False)
