"""Links between pages of this repository lead somewhere: to files that are there, and to headings of theirs."""

import re
from pathlib import Path
from urllib.parse import unquote

import pytest
from checkout import ROOT, files

_FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"`[^`\n]*`")
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#{1,6} +(.+?) *$", re.MULTILINE)
_LINK_TEXT = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_NOT_IN_ANCHORS = re.compile(r"[^\w\- ]")

_PAGES = [str(path) for path in files(".md")]


@pytest.mark.parametrize("page", _PAGES)
def test_links_lead_somewhere(page: str) -> None:
    dead = dead_links(ROOT / page)
    assert not dead, f"{page}: {', '.join(dead)}"


def test_readme_leads_to_every_page_in_one_step() -> None:
    links = set(_links((ROOT / "README.md").read_text(encoding="utf-8")))
    assert {f"docs/{page.name}" for page in (ROOT / "docs").glob("*.md")} - links == set()


def test_map_of_rooms_lists_every_page() -> None:
    links = set(_links((ROOT / "docs" / "README.md").read_text(encoding="utf-8")))
    others = {page.name for page in (ROOT / "docs").glob("*.md")} - {"README.md"}
    assert others - links == set()


@pytest.mark.parametrize(
    ("link", "is_dead"),
    [
        ("there.md", False),
        ("there.md#two-words--and-code", False),
        ("there.md#twice-1", False),
        ("#here", False),
        ("https://example.com/nowhere", False),
        ("absent.md", True),
        ("there.md#absent", True),
        ("#absent", True),
    ],
)
def test_a_link_is_dead_if_file_or_heading_is_absent(
    tmp_path: Path, link: str, is_dead: bool
) -> None:
    headings = "# Two words, *and* `code`\n## Twice\n## Twice\n```sh\n# absent\n```\n"
    (tmp_path / "there.md").write_text(headings.replace(", *and*", " / and"), encoding="utf-8")
    page = tmp_path / "page.md"
    page.write_text(f"# Here\n[a link]({link}), `[no](link)`\n", encoding="utf-8")
    assert dead_links(page) == ([link] if is_dead else [])


def dead_links(page: Path) -> list[str]:
    """Links of a page to files that are not there, or to headings that a page has not; addresses are not asked."""
    text = page.read_text(encoding="utf-8")
    return [link for link in _links(text) if "://" not in link and not _leads(link, page)]


def _links(text: str) -> list[str]:
    return _LINK.findall(_CODE.sub("", _FENCED.sub("", text)))


def _leads(link: str, page: Path) -> bool:
    path, _, anchor = unquote(link).partition("#")
    target = page.parent / path if path else page
    if not target.exists():
        return False
    return not anchor or (target.suffix == ".md" and anchor in _anchors(target))


def _anchors(page: Path) -> set[str]:
    """As GitHub makes them: lower case, punctuation gone, a hyphen for each space, numbers behind those that repeat."""
    seen: dict[str, int] = {}
    anchors: set[str] = set()
    for heading in _HEADING.findall(_FENCED.sub("", page.read_text(encoding="utf-8"))):
        plain = _LINK_TEXT.sub(r"\1", heading).lower()
        anchor = _NOT_IN_ANCHORS.sub("", plain).replace(" ", "-")
        count = seen.get(anchor, 0)
        seen[anchor] = count + 1
        anchors.add(f"{anchor}-{count}" if count else anchor)
    return anchors
