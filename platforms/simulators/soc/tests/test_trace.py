"""What `--trace` writes: Chrome's JSON trace format, as ui.perfetto.dev reads it."""

import json
from pathlib import Path

import pytest
from support import Slice, link, read_trace, simulate

_HEAD = '#include "cluster.inc"\n.globl _start\n_start:\n'

# Core 0 copies 1024 bytes and waits for them, by its event or by polling, the others wait for work; then all meet.
_PROGRAM = f"""{_HEAD}
  barrier_setup 2
  li t1, (1 << 16) | (1 << 18) | (1 << 8)
  sw t1, EU_MASK(t0)
  csrr a0, mhartid
  bnez a0, worker
  li t1, 2
  sw t1, EU_TEAM(t0)
  call copy
  li t0, EVENT_UNIT
  sw zero, EU_DISPATCH(t0)
  cv.elw t1, EU_BARRIER_WAIT_CLEAR(t0)
  exit_with 0
worker:
  cv.elw t1, EU_DISPATCH(t0)
  cv.elw t1, EU_BARRIER_WAIT_CLEAR(t0)
1: j 1b
.globl copy
copy:
  li s0, DMA
  lw t2, 0(s0)
  li t1, 1024 | (1 << 17) | (1 << 18) | (1 << 20)
  li a1, L1 + 64
  li a2, L2_DATA
  sw t1, 0(s0)
  sw a1, 0(s0)
  sw a2, 0(s0)
{{wait}}
  ret
.size copy, . - copy
"""

_SLEEP = "  li t0, EVENT_UNIT\n  cv.elw a3, EU_WAIT_CLEAR(t0)\n"
_POLL = "1:\n  lw t2, 4(s0)\n  slli t2, t2, 16\n  bnez t2, 1b\n"


def _trace(tmp_path: Path, wait: str) -> dict[str, list[Slice]]:
    path = tmp_path / "trace.json"
    elf = link(_PROGRAM.format(wait=wait), tmp_path, symbols={})
    options = ("--start-cluster", "--set", "cluster_cores=2", "--trace", str(path))
    run = simulate(elf, *options)
    assert run.status == 0, run.messages
    return read_trace(path)


def _inside(outer: Slice, inner: Slice) -> bool:
    return outer.began <= inner.began and inner.ended <= outer.ended


@pytest.mark.parametrize("wait", [_SLEEP, _POLL])
def test_slices_of_a_track_lie_apart_or_inside_one_another(wait: str, tmp_path: Path) -> None:
    for slices in _trace(tmp_path, wait).values():
        assert [(s.began, -s.ended) for s in slices] == sorted((s.began, -s.ended) for s in slices)
        for i, one in enumerate(slices):
            assert one.began < one.ended
            for other in slices[i + 1 :]:
                assert other.began >= one.ended or _inside(one, other)


def test_every_event_has_what_the_format_asks_for(tmp_path: Path) -> None:
    _trace(tmp_path, _SLEEP)
    events = json.loads((tmp_path / "trace.json").read_text(encoding="utf-8"))["traceEvents"]
    named = {e["tid"] for e in events if e["name"] == "thread_name"}
    ordered = {e["tid"] for e in events if e["name"] == "thread_sort_index"}
    assert named == ordered == {e["tid"] for e in events if e["ph"] == "X"}
    names = {e["args"]["name"] for e in events if e["name"] == "thread_name"}
    assert names == {"core 0", "core 1", "DMA 0"}
    assert 0 not in named  # Perfetto's idle thread
    for event in events:
        assert event["ph"] in ("M", "X")
        assert event["pid"] == 1
        if event["ph"] == "X":
            assert event["tid"] in named
            assert isinstance(event["ts"], int)
            assert isinstance(event["dur"], int)
            assert all(isinstance(value, str) for value in event["args"].values())


def test_sleeps_are_slices_with_their_cause(tmp_path: Path) -> None:
    tracks = _trace(tmp_path, _SLEEP)
    (dma,) = tracks["DMA 0"]
    (copy,) = [s for s in tracks["core 0"] if s.name == "copy"]
    (sleep,) = [s for s in tracks["core 0"] if s.name == "sleep: DMA"]
    assert _inside(copy, sleep)
    assert sleep.ended >= dma.ended
    assert [s.name for s in tracks["core 1"] if "sleep" in s.name] == ["sleep: dispatch"]
    assert "sleep: barrier" in [s.name for s in tracks["core 0"]]


def test_polling_is_one_slice_up_to_the_read_that_finds_the_end(tmp_path: Path) -> None:
    tracks = _trace(tmp_path, _POLL)
    (dma,) = tracks["DMA 0"]
    (poll,) = [s for s in tracks["core 0"] if s.name == "poll: DMA"]
    assert dma.ended <= poll.ended < dma.ended + 10


def test_transfers_tell_bytes_and_addresses(tmp_path: Path) -> None:
    (dma,) = _trace(tmp_path, _SLEEP)["DMA 0"]
    assert dma.name == "1024 B to L1"
    assert dma.details == {
        "bytes": "1024",
        "L1 address": "0x10000040",
        "other address": "0x1c020000",
    }


@pytest.mark.parametrize("cores", [1, 9])
def test_calls_are_slices(cores: int, tmp_path: Path) -> None:
    source = f"{_HEAD} call work\n call work\n exit_with 0\n.globl work\nwork:\n nop\n ret\n"
    path = tmp_path / "trace.json"
    options = ("--set", f"cluster_cores={cores}", "--trace", str(path))
    assert simulate(link(source, tmp_path, symbols={}), *options).status == 0
    calls = [s for s in read_trace(path)["fabric controller"] if s.name == "work"]
    assert [call.ended - call.began for call in calls] == [3, 3]


def test_stages_are_slices_of_a_track(tmp_path: Path) -> None:
    body = " stage_end zero\n li t1, 7\n nop\n stage_end t1\n li t1, 9\n nop\n nop\n stage_end t1\n"
    path = tmp_path / "trace.json"
    elf = link(f"{_HEAD}{body} exit_with 0\n", tmp_path, symbols={})
    assert simulate(elf, "--trace", str(path)).status == 0
    first, second = read_trace(path)["stages"]
    assert (first.name, second.name) == ("stage 7", "stage 9")
    assert first.ended == second.began
