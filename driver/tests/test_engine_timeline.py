"""Who worked when, of traces written by hand."""

from collections.abc import Sequence

import pytest
from drawn_traces import Span, trace
from tinsmith_driver.drawing import Rectangle
from tinsmith_driver.engine_timeline import engine_timeline
from tinsmith_driver.timeline import Timeline

_LEFT = 110.0
_LAYERS = [("first", 1000, 600), ("second", 1600, 400)]


def drawn(**tracks: Sequence[Span]) -> Timeline:
    found = engine_timeline(trace(layers=_LAYERS, **tracks))
    assert found is not None
    return found


def parts_of(timeline: Timeline, row: str) -> list[Rectangle]:
    return [part for part in timeline.parts if part.title.startswith(f"{row}: ")]


def test_cores_are_drawn_where_they_do_not_sleep() -> None:
    sleeps = [("run", 900, 1200), ("sleep: event", 1250, 250), ("sleep: barrier", 1900, 300)]
    first, second = parts_of(drawn(core_0=sleeps), "core 0")
    scale = (1100 - _LEFT) / 1000
    assert (first.x, first.width) == pytest.approx((_LEFT, 250 * scale))
    assert (second.x, second.width) == pytest.approx((_LEFT + 500 * scale, 400 * scale))


def test_an_accelerator_has_its_jobs_and_a_dma_its_copies() -> None:
    timeline = drawn(
        core_0=[],
        fabric_controller=[("start", 0, 10)],
        DMA_0=[("64 B to L1", 1100, 20)],
        neureka=[("3x3 8x8x16 to 16, 8 bits", 1200, 500)],
    )
    assert [name for name, _ in timeline.rows] == ["layers", "core 0", "neureka", "DMA 0"]
    (job,) = parts_of(timeline, "neureka")
    assert job.title == "neureka: 3x3 8x8x16 to 16, 8 bits, 500 cycles from 200 on"
    assert job.label == "3x3 8x8x16 to 16, 8 bits"
    (copy,) = parts_of(timeline, "DMA 0")
    assert copy.label == ""
    assert copy.y > job.y + job.height


def test_what_was_before_the_run_and_behind_it_is_left_out() -> None:
    timeline = drawn(neureka=[("before", 10, 20), ("across", 900, 300), ("behind", 2000, 5)])
    (across,) = parts_of(timeline, "neureka")
    assert across.title == "neureka: across, 200 cycles from 0 on"
    assert timeline.ticks[-1] == (1100.0, "1,000")


def test_names_of_layers_are_made_visible() -> None:
    layers = [("a\u202eb", 0, 100)]
    timeline = engine_timeline(trace(layers=layers))
    assert timeline is not None
    assert "\u202e" not in timeline.parts[0].title


def test_a_trace_without_layers_gives_no_drawing() -> None:
    assert engine_timeline(trace(core_0=[("run", 0, 10)])) is None
