"""What the pages of docs/ for newcomers tell people to type works, page by page, each in a fresh copy of the tree.

The blocks of a page run in the order in which they stand there: each goes on with what those before it made. A block of
text right behind commands is what they print, some lines of it.
"""

import re

import pytest
from blocks import blocks
from checking import check_block, fresh_tree
from checkout import ROOT

_PAGES = ("bazel", "questions", "targets", "tutorial")
_MOST_LINES = 10
# Between the fence that ends a block and the first line of the next block, which its own fence comes before.
_ONE_EMPTY_LINE = 3


@pytest.mark.parametrize("page", _PAGES)
def test_page(page: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    found = blocks(ROOT / "docs" / f"{page}.md")
    assert any(block.language == "sh" for block in found)
    tree = fresh_tree(tmp_path_factory.mktemp(page))
    printed, end = "", 0
    for block in found:
        if block.language == "text" and printed and block.line - end == _ONE_EMPTY_LINE:
            absent = [line for line in block.text.splitlines() if line not in printed.splitlines()]
            assert not absent, f"line {block.line}: {absent} is not in\n{printed}"
        printed, end = check_block(block, tree), block.line + block.text.count("\n")


def test_answers_are_short() -> None:
    text = (ROOT / "docs" / "questions.md").read_text(encoding="utf-8")
    questions = re.split(r"^## ", text, flags=re.MULTILINE)[1:]
    assert len(questions) >= 15
    for question, *answer in (part.splitlines() for part in questions):
        lines = [line for line in answer if line.strip()]
        assert 0 < len(lines) <= _MOST_LINES, f"{question}: {len(lines)} lines"
