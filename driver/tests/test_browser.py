"""Pages in a headless Chromium, where there is one: no overflow, no error, contrast, focus; and that it finds what is
wrong. Without a browser the rules of test_pages.py are what pages are held to.
"""

from pathlib import Path

import pytest
from tinsmith_driver.benchmarks.browser import find_browser, looks
from tinsmith_driver.cli import main
from tinsmith_driver.demonstration import find_example

pytestmark = pytest.mark.skipif(
    find_browser() is None,
    reason="no chromium on the PATH: pages are not shown, their rules are checked",
)
MODEL = str(find_example().model)


def page_of(folder: Path, *arguments: str) -> str:
    assert main([*arguments, "-o", str(folder)]) == 0
    return (folder / "report.html").read_text(encoding="utf-8")


def hostile(folder: Path) -> Path:
    """A network whose names are long and would like to be markup."""
    path = folder / "hostile.tsm"
    name = "layer_of_a_name_without_any_place_to_break_it_" * 4 + "</title><script>throw 1</script>"
    path.write_text(
        f"""graph 2 "{name}" {{
  input %"{name}x": i8[1,4]<0.05, 0>
  %"{name}y": i8[1,4]<0.05, 0> = relu(%"{name}x")
  %"{name}z": i8[1,4]<0.05, 0> = add(%"{name}x", %"{name}y")
  output %"{name}z"
}}"""
    )
    return path


def test_pages_are_sound_in_all_windows(tmp_path: Path) -> None:
    pages = [
        page_of(tmp_path / "m4", "compile", MODEL, "--target", "cortex-m4"),
        page_of(tmp_path / "soc", "compile", MODEL, "--target", "siracusa"),
        page_of(tmp_path / "bad", "compile", str(hostile(tmp_path)), "--target", "host"),
    ]
    reports = [str(tmp_path / name / "report.json") for name in ("m4", "soc")]
    difference = tmp_path / "difference.html"
    assert main(["diff", *reports, "--html", str(difference)]) == 0
    found = looks([*pages, difference.read_text(encoding="utf-8")])
    assert [look.problems for seen in found for look in seen] == [()] * 16
    windows = [(1280, "light"), (400, "light"), (1280, "dark"), (400, "dark")]
    for seen in found:
        assert [(look.width, look.scheme) for look in seen] == windows
        assert all(look.texts > 50 for look in seen)


_WRONG = [
    ("<main>", '<main><div style="width: 2000px">wide</div>', "overflows"),
    ("<main>", '<main><p style="color: #999; background: #888">pale</p>', "contrast"),
    (":focus-visible { outline: 2px solid", ":focus { outline: 0 solid", "the focus is not seen"),
    (
        'tabindex="0" role="region" aria-label="Layers"',
        'aria-label="Layers"',
        "no keyboard scrolls",
    ),
    ("svg text { font: 11px", "svg text { font: 4px", "in a drawing"),
    ("--activation: #a8d5a2", "--activation: #202020", "contrast"),
]


def test_what_is_wrong_is_found(tmp_path: Path) -> None:
    page = page_of(tmp_path, "compile", MODEL, "--target", "cortex-m4")
    assert all(whole in page for whole, _, _ in _WRONG)
    found = looks([page.replace(whole, part, 1) for whole, part, _ in _WRONG], (400,))
    for (_, _, problem), seen in zip(_WRONG, found, strict=True):
        assert all(any(problem in line for line in look.problems) for look in seen), seen


def test_what_a_page_would_run_is_found(tmp_path: Path) -> None:
    page = page_of(tmp_path, "compile", MODEL, "--target", "host")
    (seen,) = looks(
        [page.replace("<main>", "<main><script>throw new Error('no')</script>")], (400,)
    )
    assert all(any("console" in line for line in look.problems) for look in seen)
