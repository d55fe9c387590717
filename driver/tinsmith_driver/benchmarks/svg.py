"""What the drawings of benchmarks have in common: a frame with a title, and how texts and lines look."""

from collections.abc import Sequence

TEXTS = """\
  text { font: 13px system-ui, sans-serif; fill: var(--ink); }
  .title { font-weight: 600; }
  .end { text-anchor: end; }
  .middle { text-anchor: middle; }
  .ground { fill: var(--ground); }
  .grid { stroke: var(--faint); }
"""
"""Of a style that says what --ink, --ground and --faint are."""


def framed(subject: str, style: str, width: int, height: int, drawn: Sequence[str]) -> str:
    """The drawing, its subject as a title at the top. width, height: in points of the drawing; it is shown 640 wide."""
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="640" role="img">',
        f"<title>{subject}</title>",
        f"<style>{style}</style>",
        f'<rect class="ground" width="{width}" height="{height}"/>',
        f'<text class="title" x="10" y="22">{subject}</text>',
        *drawn,
        "</svg>",
        "",
    ]
    return "\n".join(lines)
