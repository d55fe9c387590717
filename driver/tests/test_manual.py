from pathlib import Path

import pytest
from tinsmith_driver.api_pages import api_page, api_pages
from tinsmith_driver.manual import (
    imported_operators_page,
    main,
    supported_operators_page,
    write_api_pages,
)

DOCS = Path(__file__).parents[2] / "docs"


def test_the_page_of_supported_operators_is_fresh() -> None:
    page = (DOCS / "supported_ops.md").read_text(encoding="utf-8")
    assert page == supported_operators_page(), (
        "run: python -m tinsmith_driver.manual > docs/supported_ops.md"
    )


def test_the_page_of_imported_operators_is_fresh() -> None:
    page = (DOCS / "imported_ops.md").read_text(encoding="utf-8")
    assert page == imported_operators_page(), (
        "run: python -m tinsmith_driver.manual imports > docs/imported_ops.md"
    )


def test_the_pages_of_libraries_are_fresh() -> None:
    pages = api_pages()
    stored = {path.name: path.read_text(encoding="utf-8") for path in (DOCS / "api").glob("*.md")}
    stale = {name for name in {*pages, *stored} if pages.get(name) != stored.get(name)}
    assert not stale, "run: python -m tinsmith_driver.manual api docs/api"


def test_pages_of_libraries_that_are_gone_go(tmp_path: Path) -> None:
    (tmp_path / "tinsmith_gone.md").write_text("", encoding="utf-8")
    (tmp_path / "mine.md").write_text("", encoding="utf-8")
    write_api_pages(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {"mine.md", *api_pages()}


_PACKAGE = {
    "__init__.py": '"""Shapes.\n\nMore."""\n'
    "from tinsmith_ir.types import TensorType\n"
    "from shapes.round import *\n"
    "if TYPE_CHECKING:\n"
    "    from shapes.square import Square as Box\n"
    "__all__ = ['TensorType', 'Box']\n",
    "round.py": "__all__ = ['SIDES', 'area']\n"
    "SIDES = 0\n"
    '"""Of a circle."""\n'
    "@checked\n"
    "def area(radius: float, /, *others: float, a_word_that_is_quite_long: float=1.0, **more: int) -> float:\n"
    '    """In square metres.\n\n    Raises ValueError.\n    """\n'
    "    return _PI * radius\n",
    "square.py": "class Square(Shape, metaclass=Meta):\n"
    '    """Four sides."""\n'
    "    side: float\n"
    '    """In metres."""\n'
    "    _hidden: int = 3\n"
    "    def _none(self) -> None: ...\n"
    "    @property\n"
    "    def area(self) -> float:\n"
    '        """Its area."""\n'
    "        return self.side ** 2\n",
}

_ENTRIES = """## Box

```python
class Square(Shape, metaclass=Meta):
    \"""Four sides.\"""
    side: float
    \"""In metres.\"""

    @property
    def area(self) -> float:
        \"""Its area.\"""
```

## SIDES

```python
SIDES = 0
\"""Of a circle.\"""
```

## TensorType

```python
from tinsmith_ir.types import TensorType
```

## area

```python
@checked
def area(
    radius: float,
    /,
    *others: float,
    a_word_that_is_quite_long: float = 1.0,
    **more: int,
) -> float:
    \"""In square metres.

    Raises ValueError.
    \"""
```
"""


def _package(folder: Path) -> Path:
    package = folder / "shapes"
    package.mkdir()
    for name, text in _PACKAGE.items():
        (package / name).write_text(text, encoding="utf-8")
    return package


def test_a_page_has_what_is_public_as_it_is_declared(tmp_path: Path) -> None:
    page = api_page(_package(tmp_path))
    assert page.startswith("# shapes\n\nShapes.\n\n")
    assert page.partition("\n## ")[2] == _ENTRIES.removeprefix("## ")


def test_a_public_name_that_is_defined_nowhere_is_named(tmp_path: Path) -> None:
    package = _package(tmp_path)
    (package / "__init__.py").write_text("__all__ = ['absent']\n", encoding="utf-8")
    with pytest.raises(LookupError, match="shapes: absent is in __all__, and defined nowhere"):
        api_page(package)


def test_wrong_use_says_what_is_right(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["pages"]) == 2
    assert "[imports | api FOLDER]" in capsys.readouterr().err
