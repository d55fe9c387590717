"""What README.md tells people to type works, in the order it stands there, in a fresh copy of the tree.

Commands of a shell run (`./tinsmith` is the command that Bazel built), Python runs, BUILD snippets are held against
defs.bzl, C is compiled against what the commands before it wrote. A block that none of these fits fails.
"""

import importlib.util
import sys
from pathlib import Path

import pytest
from blocks import Block, blocks, commands
from checking import check_block, check_command, fresh_tree, run
from checkout import ROOT, listed

_README = ROOT / "README.md"
_BLOCKS = blocks(_README)


def _identity(block: Block) -> str:
    return f"line{block.line}-{block.language or 'plain'}"


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the checkout whose ./tinsmith is the command under test."""
    return fresh_tree(tmp_path_factory.mktemp("readme"))


@pytest.mark.parametrize("block", _BLOCKS, ids=_identity)
def test_block(block: Block, tree: Path) -> None:
    check_block(block, tree)


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
    run([sys.executable, "-c", "\n".join(examples)], tree)


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
                check_command(words, tree)
