"""Rules that every page of the command keeps, checked without a browser: structure by an HTML parser, colours by the
formula of WCAG 2.2 for contrast.
"""

import colorsys
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser

LEAST_CONTRAST = 4.5

# What the stylesheet's colours are for; the last are lines and fills that no text is on.
_TEXT = ("ink", "dim", "link", "good", "bad", "peak")
_BEHIND_LABELS = ("input", "output", "state", "activation", "scratch", "constant")
_OTHERS = ("page", "label", "line", "edge", "bar")
_VOID = {"meta", "rect", "br", "link", "img", "input", "circle", "line", "polyline"}
_LABELLED = {"input", "select", "textarea", "button"}

Colour = tuple[float, float, float]


@dataclass
class Element:
    """text: what is directly in it."""

    tag: str
    attributes: dict[str, str]
    parent: "Element | None"
    children: list["Element"] = field(default_factory=list["Element"])
    text: str = ""

    def all(self) -> Iterator["Element"]:
        """Itself and all below it."""
        yield self
        for child in self.children:
            yield from child.all()

    def is_within(self, tag: str, **attributes: str) -> bool:
        """Whether an element around it is of that kind."""
        around = self.parent
        while around is not None:
            if around.tag == tag and attributes.items() <= around.attributes.items():
                return True
            around = around.parent
        return False


class _Tree(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Element("", {}, None)
        self.now = self.root
        self.problems: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, {name: value or "" for name, value in attrs}, self.now)
        self.now.children.append(element)
        if tag not in _VOID:
            self.now = element

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.now.children.append(Element(tag, {n: v or "" for n, v in attrs}, self.now))

    def handle_endtag(self, tag: str) -> None:
        if self.now.tag != tag or self.now.parent is None:
            self.problems.append(f"</{tag}> closes <{self.now.tag}>")
            return
        self.now = self.now.parent

    def handle_data(self, data: str) -> None:
        self.now.text += data


def problems(page: str) -> list[str]:
    """What of the page breaks a rule, a line each; empty if nothing does."""
    tree = _Tree()
    tree.feed(page)
    tree.close()
    found = [*tree.problems]
    if tree.now is not tree.root:
        found.append(f"<{tree.now.tag}> is never closed")
    elements = [*tree.root.all()][1:]
    return [
        *found,
        *_identities(elements),
        *_loads(elements),
        *_names(elements),
        *_colours(elements),
    ]


def _identities(elements: list[Element]) -> Iterator[str]:
    ids = Counter(e.attributes["id"] for e in elements if "id" in e.attributes)
    yield from (f"id {name} is there {count} times" for name, count in ids.items() if count > 1)
    links = [e.attributes.get("href", "") for e in elements if e.tag == "a"]
    yield from (
        f"{link} leads nowhere" for link in links if link[:1] == "#" and link[1:] not in ids
    )
    tags = Counter(e.tag for e in elements if e.tag != "title" or e.is_within("head"))
    for tag in ("html", "title", "main", "h1", "style"):
        if tags[tag] != 1:
            yield f"expected one <{tag}>, got {tags[tag]}"


def _loads(elements: list[Element]) -> Iterator[str]:
    for element in elements:
        if element.tag in ("script", "link", "img", "iframe", "object"):
            yield f"<{element.tag}>: a page has nothing to run or to load"
        for name, value in element.attributes.items():
            if name.startswith("on") or re.match(
                r"\s*(https?:|//|javascript:|data:)", value, re.IGNORECASE
            ):
                yield f"<{element.tag} {name}={value!r}>"
    styles = "".join(element.text for element in elements if element.tag == "style")
    if "url(" in styles or "@import" in styles:
        yield "the stylesheet loads something"


def _names(elements: list[Element]) -> Iterator[str]:
    for element in elements:
        tag, attributes = element.tag, element.attributes
        is_named = bool(attributes.get("aria-label"))
        if (attributes.get("role") in ("img", "region") or tag in _LABELLED) and not is_named:
            yield f"<{tag}> has no aria-label"
        if tag == "th" and attributes.get("scope") not in ("col", "row"):
            yield f"<th> {element.text!r} has no scope"
        if tag in ("svg", "table") and not element.is_within("div", role="region", tabindex="0"):
            yield f"<{tag}> is in nothing that scrolls by keyboard"
        if tag == "details" and [child.tag for child in element.children][:1] != ["summary"]:
            yield "<details> without a <summary> first"
        if attributes.get("tabindex", "0") != "0":
            yield f"<{tag}> changes the order of focus"
    if not any(element.attributes.get("lang") for element in elements if element.tag == "html"):
        yield "<html> has no lang"


def _colours(elements: list[Element]) -> Iterator[str]:
    style = next(element.text for element in elements if element.tag == "style")
    for scheme, colours in schemes(style).items():
        known = {*_TEXT, *_BEHIND_LABELS, *_OTHERS}
        if colours.keys() != known:
            yield f"{scheme}: colours that are there or known alone: {colours.keys() ^ known}"
        for text in _TEXT:
            yield from _pair(f"{scheme} {text} on page", colours[text], colours["page"])
        for fill in _BEHIND_LABELS:
            yield from _pair(f"{scheme} label on {fill}", colours["label"], colours[fill])
    label = schemes(style)["light"]["label"]
    for element in elements:
        fills = [
            child.attributes.get("fill", "") for child in element.children if child.tag == "rect"
        ]
        is_named = any(child.attributes.get("class") == "name" for child in element.children)
        if element.tag == "g" and is_named:
            for fill in filter(None, fills):
                yield from _pair(f"label on {fill}", label, colour(fill))


def schemes(style: str) -> dict[str, dict[str, Colour]]:
    """The custom properties of a stylesheet that are colours, by scheme."""
    light, dark = re.split(r"@media \(prefers-color-scheme: dark\)", style)
    declared = re.compile(r"--([\w-]+):\s*(#[0-9a-f]+|hsl\([^)]*\))")
    of_light = {name: colour(value) for name, value in declared.findall(light)}
    of_dark = {name: colour(value) for name, value in declared.findall(dark)}
    return {"light": of_light, "dark": of_light | of_dark}


def colour(text: str) -> Colour:
    """Of `#abc`, `#aabbcc` or `hsl(120 50% 50%)`: red, green, blue from 0 to 1."""
    if text.startswith("#"):
        digits = text[1:] if len(text) == 7 else "".join(2 * digit for digit in text[1:])
        red, green, blue = (int(digits[i : i + 2], 16) / 255 for i in (0, 2, 4))
        return red, green, blue
    hue, saturation, lightness = map(float, re.findall(r"[\d.]+", text))
    return colorsys.hls_to_rgb(hue / 360, lightness / 100, saturation / 100)


def contrast(one: Colour, other: Colour) -> float:
    """From 1 to 21, by the formula of WCAG 2.2."""
    low, high = sorted((_luminance(one), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


def _luminance(colour: Colour) -> float:
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _pair(what: str, text: Colour, behind: Colour) -> Iterator[str]:
    found = contrast(text, behind)
    if found < LEAST_CONTRAST:
        yield f"{what}: contrast {found:.2f}, expected {LEAST_CONTRAST}"
