"""What cores, copies and accelerators did at the same time, along the cycles of a traced run, for the report's page."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from tinsmith_ir.escape import visible

from tinsmith_driver.drawing import Rectangle, colour_of, rectangle, room_for_text, ticks
from tinsmith_driver.labels import Labels
from tinsmith_driver.table import thousands
from tinsmith_driver.timeline import Timeline
from tinsmith_driver.traces import LAYERS, Span, tracks_of

_WIDTH, _LEFT, _BOTTOM = 1100.0, 110.0, 20.0
_TALL, _FLAT, _GAP = 22.0, 9.0, 3.0
_CHARACTER_WIDTH = 6.4
_LEAST_WIDTH = 0.2
_CORE, _COPIES, _BOOTING, _SLEEP = "core ", "DMA ", "fabric controller", "sleep: "
_COLOURS = {_CORE: "hsl(140 45% 55%)", _COPIES: "hsl(210 60% 65%)"}
_ACCELERATOR_COLOUR = "hsl(320 45% 65%)"


def engine_timeline(trace: bytes) -> Timeline | None:
    """Rows: layers by when they were waited for, cores where they are awake, accelerators' jobs, the DMA's copies.

    trace: of a run, in Chrome's JSON format, its layers named (`with_layer_names`). None for one without layers.
    """
    tracks = tracks_of(trace)
    layers = tracks.pop(LAYERS, [])
    if not layers:
        return None
    begin, end = layers[0].begin, layers[-1].end
    scale = (_WIDTH - _LEFT) / max(end - begin, 1)
    rows: list[tuple[str, float]] = []
    parts: list[Rectangle] = []
    top = 0.0
    for name, spans, colour in _rows(layers, tracks):
        seen = [Span(s.name, max(s.begin, begin), min(s.end, end)) for s in spans]
        seen = [span for span in seen if span.begin < span.end]
        if not seen:
            continue
        height = _FLAT if name.startswith((_CORE, _COPIES)) else _TALL
        parts += _bars(name, seen, colour, top, height, begin, scale)
        rows.append((name, top + height / 2))
        top += height + _GAP
    return Timeline(_WIDTH, top + _BOTTOM, _LEFT, parts, rows, ticks(_LEFT, scale, end - begin), [])


def _rows(
    layers: list[Span], tracks: Mapping[str, list[Span]]
) -> Iterator[tuple[str, Sequence[Span], str]]:
    """Name, spans and colour of each, "" for a colour by name; accelerators are what is neither a core nor a DMA."""
    yield LAYERS, layers, ""
    for name, spans in tracks.items():
        if name.startswith(_CORE):
            yield name, [*_awake(spans, layers[0].begin, layers[-1].end)], _COLOURS[_CORE]
    for name, spans in tracks.items():
        if name != _BOOTING and not name.startswith((_CORE, _COPIES)):
            yield name, spans, _ACCELERATOR_COLOUR
    for name, spans in tracks.items():
        if name.startswith(_COPIES):
            yield name, spans, _COLOURS[_COPIES]


def _awake(spans: Iterable[Span], begin: int, end: int) -> Iterator[Span]:
    """Between the times in which a core sleeps."""
    for span in spans:
        if span.name.startswith(_SLEEP):
            if begin < span.begin:
                yield Span("awake", begin, span.begin)
            begin = max(begin, span.end)
    yield Span("awake", begin, end)


def _bars(
    row: str,
    spans: Sequence[Span],
    colour: str,
    top: float,
    height: float,
    begin: int,
    scale: float,
) -> Iterator[Rectangle]:
    """What is too narrow to be seen is as wide as can be."""
    labels = Labels({visible(span.name) for span in spans})
    for span in spans:
        width = max((span.end - span.begin) * scale, _LEAST_WIDTH)
        name, length = visible(span.name), thousands(span.end - span.begin)
        title = f"{row}: {name}, {length} cycles from {thousands(span.begin - begin)} on"
        room = room_for_text(width, _CHARACTER_WIDTH)
        label = labels.of(name, room) if height == _TALL else ""
        x = _LEFT + (span.begin - begin) * scale
        yield rectangle(title, label, x, top, width, height, colour or colour_of(span.name))
