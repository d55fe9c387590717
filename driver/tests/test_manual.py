from pathlib import Path

from tinsmith_driver.manual import imported_operators_page, supported_operators_page

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
