"""Checks of fenced blocks: commands run, Python runs, BUILD snippets are held against defs.bzl, C is compiled.

A block whose opening line names a file behind the language (```c main.c) is that file, for the commands behind it.
"""

import ast
import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from blocks import Block, commands
from checkout import ROOT, copy_to
from tinsmith_toolchains import find_zig

# Hours of emulation, or Bazel inside Bazel: their arguments are checked instead.
_NOT_RUN = {"bench"}
_PROSE = {"text", "json", "console", ""}

_OPTIONAL = {"arm-none-eabi-gcc", "arm-none-eabi-size", "qemu-system-arm"}
"""Programs that pages use and that are not on every machine: what needs them is skipped there."""


def fresh_tree(folder: Path) -> Path:
    """A copy of the checkout whose ./tinsmith is the command under test, with the networks if they are to be had."""
    tree = copy_to(folder / "tinsmith")
    for variable in ("TINSMITH_MLPERF_TINY_DIR", "TINSMITH_MLPERF_TINY_INPUTS_DIR"):
        if folder_of_models := os.environ.get(variable):
            for path in Path(folder_of_models).iterdir():
                shutil.copyfile(path, tree / path.name)
    command = tree / "tinsmith"
    binary = ROOT / "driver" / "tinsmith"
    run_command = binary if binary.exists() else f"{sys.executable} -m tinsmith_driver"
    command.write_text(f'#!/bin/sh\nexec {run_command} "$@"\n', encoding="utf-8")
    command.chmod(command.stat().st_mode | stat.S_IXUSR)
    return tree


def check_block(block: Block, tree: Path) -> str:
    """Does with a block what its language asks for, in `tree`; a block that nothing here can check fails.

    Returns what its commands said.
    """
    if block.file:
        path = tree / block.file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(block.text, encoding="utf-8")
    elif block.language in ("sh", "bash"):
        return "".join(check_command(words, tree) for words in commands(block))
    elif block.language == "starlark":
        _check_build_file(block)
    elif block.language == "python":
        run([sys.executable, "-c", block.text], tree)
    elif block.language == "c":
        _compile(block, tree)
    else:
        assert block.language in _PROSE, f"nothing here knows how to check {block.language}"
    return ""


def check_command(words: list[str], tree: Path) -> str:
    """Runs ./tinsmith and programs that pages use, in `tree`; of ./bazelw the labels are checked.

    `PYTHONPATH=.` may stand in front of ./tinsmith. Returns what the command said.
    """
    if words[:2] == ["PYTHONPATH=.", "./tinsmith"]:
        return run(words[1:], tree, path=".")
    program, *arguments = words
    if program == "./bazelw":
        _check_labels(arguments)
        return ""
    if program == "./tinsmith" and arguments[0] in _NOT_RUN:
        return run([*words[:2], "--help"], tree)
    if program == "./tinsmith":
        absent = [
            word
            for word in arguments
            if word.endswith((".tflite", ".npz")) and _is_absent(word, tree)
        ]
        if absent:
            pytest.skip(f"MLPerf Tiny models absent: {', '.join(absent)}")
        return run(words, tree)
    if program in _OPTIONAL:
        if shutil.which(program) is None or not _has_libc(program):
            pytest.skip(f"{program} is absent, or its C library")
        return run(_expanded(words, tree), tree)
    pytest.fail(f"nothing here knows how to check `{' '.join(words)}`", pytrace=False)


def _has_libc(program: str) -> bool:
    """Whether a compiler comes with newlib, which Debian has in a package of its own; true of other programs."""
    if not program.endswith("-gcc"):
        return True
    words = [program, "-print-file-name=libc.a"]
    found = subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip()
    return Path(found).is_absolute()


def _expanded(words: list[str], tree: Path) -> list[str]:
    """The shell's `*` in names of files."""
    return [
        name
        for word in words
        for name in (
            sorted(str(path.relative_to(tree)) for path in tree.glob(word))
            if "*" in word
            else [word]
        )
    ]


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
    folders = sorted({path.parent for path in [*tree.glob("*/*.h"), *tree.glob("out/**/*.h")]})
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
    run([str(zig.executable), "clang", *target, *flags, str(source)], tree)


def run(words: list[str], tree: Path, path: str = "") -> str:
    """What the command said; fails with it if its exit status is not 0. path: in front of PYTHONPATH."""
    paths = [path] if path else []
    if "PYTHONPATH" in os.environ:
        paths.append(os.environ["PYTHONPATH"])
    result = subprocess.run(
        words,
        cwd=tree,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)} if paths else None,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if result.returncode != 0:
        shown = " ".join(words) if "\n" not in words[-1] else f"python:\n{words[-1]}"
        report = f"{shown}\nexit status {result.returncode}\n{result.stdout[-4000:]}{result.stderr[-4000:]}"
        pytest.fail(report, pytrace=False)
    return result.stdout + result.stderr
