"""Looks at pages as people see them: a headless Chromium renders them, and a script around them measures."""

import html
import json
import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any, cast

from tinsmith_ir import UsageError
from tinsmith_toolchains import temporary_folder

WIDTHS = (1280, 400)
LEAST_CONTRAST, LEAST_TEXT = 4.5, 9.0
_NAMES = ("chromium", "chromium-browser", "google-chrome")
_SCHEMES = {"light": 1, "dark": 0}
_TIMEOUT_SECONDS, _PAGE_SECONDS = 120, 20
_OPTIONS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    "--enable-logging=stderr",
    "--virtual-time-budget=100000",
)
_FOUND = re.compile(r'<pre id="found">(.*?)</pre>', re.DOTALL)
_CONSOLE = re.compile(r"^.*:CONSOLE[:(].*$", re.MULTILINE)


@dataclass(frozen=True)
class Look:
    """A page in one width, in pixels, and one scheme.

    contrast: the least of any text, and of which; texts: how many there are. smallest_text: of drawings, in pixels;
    None without. problems: what is wrong, a line each.
    """

    width: int
    scheme: str
    contrast: float
    texts: int
    smallest_text: float | None
    problems: tuple[str, ...]


def find_browser() -> str | None:
    """A Chromium on the PATH."""
    return next((found for name in _NAMES if (found := shutil.which(name))), None)


def looks(pages: Sequence[str], widths: Sequence[int] = WIDTHS) -> list[list[Look]]:
    """Of each page: it in each width, in the light scheme, then in the dark one.

    What the browser's console says is a problem of all pages. Raises UsageError where there is no browser, or it tells
    nothing.
    """
    browser = find_browser()
    if browser is None:
        raise UsageError(f"expected a browser on the PATH, one of {', '.join(_NAMES)}, got none")
    by_scheme = [_looks(browser, pages, widths, scheme) for scheme in _SCHEMES]
    return [[look for row in of_page for look in row] for of_page in zip(*by_scheme, strict=True)]


def _looks(
    browser: str, pages: Sequence[str], widths: Sequence[int], scheme: str
) -> list[list[Look]]:
    frames = (
        files("tinsmith_driver.benchmarks").joinpath("page_checks.html").read_text(encoding="utf-8")
    )
    # As strings of a script, in which no end of one may stand.
    texts = json.dumps([*pages]).replace("</", "<\\/").replace("<!--", "<\\u0021--")
    frames = frames.replace("WIDTHS;", f"{json.dumps([*widths])};", 1)
    frames = frames.replace("= PAGES,", f"= {texts},", 1)
    with temporary_folder("tinsmith-page-") as folder:
        place = folder / "frames.html"
        place.write_text(frames, encoding="utf-8")
        said = _run(browser, folder, place, scheme, _TIMEOUT_SECONDS + _PAGE_SECONDS * len(pages))
    match = _FOUND.search(said.stdout)
    found: Any = (
        json.loads(html.unescape(match[1])) if match and match[1] else {"error": said.stderr[-500:]}
    )
    if isinstance(found, dict):
        raise UsageError(f"{browser} does not measure the page: {found}")
    console = _CONSOLE.findall(said.stderr)
    return [
        [_look(scheme, wanted, row, console) for wanted, row in zip(widths, rows, strict=True)]
        for rows in cast(list[list[dict[str, Any]]], found)
    ]


def _run(
    browser: str, folder: Path, place: Path, scheme: str, seconds: int
) -> "subprocess.CompletedProcess[str]":
    chosen = f"--blink-settings=preferredColorScheme={_SCHEMES[scheme]}"
    command = [
        browser,
        *_OPTIONS,
        chosen,
        f"--user-data-dir={folder / 'profile'}",
        "--dump-dom",
        place.as_uri(),
    ]
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=seconds, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UsageError(f"{browser} does not show the page: {error}") from error


def _look(scheme: str, wanted: int, row: dict[str, Any], console: Sequence[str]) -> Look:
    contrast, least = row["contrast"], row["contrast"]["least"]
    problems = [f"console: {line[-200:]}" for line in console]
    if row["width"] != wanted or row["is_dark"] != (scheme == "dark"):
        problems.append(f"shown {row['width']} pixels wide, dark: {row['is_dark']}")
    if row["scroll_width"] > row["width"]:
        problems.append(f"overflows: {row['scroll_width']} pixels in {row['width']}")
    if least is None or least < LEAST_CONTRAST:
        problems.append(f"contrast {least} of {contrast['of']}, expected {LEAST_CONTRAST}")
    if row["smallest_text"] is not None and row["smallest_text"] < LEAST_TEXT:
        problems.append(
            f"text of {row['smallest_text']:.1f} pixels in a drawing, expected {LEAST_TEXT}"
        )
    problems += [f"no keyboard scrolls {name}" for name in row["unreachable"]]
    problems += [f"the focus is not seen on {name}" for name in row["focus"]["hidden"]]
    problems += [f"loads {name}" for name in row["loaded"]]
    return Look(
        wanted,
        scheme,
        cast(float, least or 0.0),
        contrast["count"],
        row["smallest_text"],
        tuple(problems),
    )
