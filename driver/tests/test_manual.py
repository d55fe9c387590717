from pathlib import Path

from tinsmith_driver.manual import supported_operators_page

PAGE = Path(__file__).parents[2] / "docs" / "supported_ops.md"


def test_the_page_of_supported_operators_is_fresh() -> None:
    assert PAGE.read_text(encoding="utf-8") == supported_operators_page(), (
        "run: python -m tinsmith_driver.manual > docs/supported_ops.md"
    )
