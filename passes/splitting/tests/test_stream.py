"""Rows that stream: nothing is computed twice, all that is read is there, windows are as small as said."""

import random

import pytest
from tinsmith_splitting.stream import Drop, Make, Read, Stage, Stream, stream


def window(tensor: str, rows: int, result: int, taps: int, stride: int, before: int) -> Read:
    """What a sliding window reads for each row of a result."""
    begins = [max(0, row * stride - before) for row in range(result)]
    ends = [min(rows, row * stride - before + taps) for row in range(result)]
    return Read(tensor, tuple(begins), tuple(ends))


def replay(stages: list[Stage], windows: frozenset[str], found: Stream) -> None:
    """Check every action as a memory of lines would see it: each line holds a row or nothing."""
    maker = {stage.name: stage for stage in stages}
    lines: dict[str, list[int | None]] = {name: [None] * found.lines[name] for name in windows}
    made = {stage.result: 0 for stage in stages}
    whole = {stage.result for stage in stages} - windows
    for action in found.actions:
        if isinstance(action, Drop):
            held, kept, dropped = lines[action.tensor], action.kept, action.dropped
            assert dropped > 0
            assert kept > 0
            begin = len(held) - kept
            assert begin - dropped >= 0
            held[begin - dropped : len(held) - dropped] = held[begin:]
            continue
        stage = maker[action.stage]
        assert action.begin == made[stage.result]  # each row once, in order
        for read in stage.reads:
            rows = [*range(read.begins[action.begin], read.ends[action.end - 1])]
            if read.tensor in windows and rows:
                first = action.ends[read.tensor] - len(lines[read.tensor])
                assert rows[0] >= first
                assert lines[read.tensor][rows[0] - first : rows[-1] + 1 - first] == rows
            elif read.tensor in whole:
                assert made[read.tensor] >= max(rows, default=-1) + 1
        made[stage.result] = action.end
        if stage.result in windows:
            assert action.end == action.ends[stage.result]  # in the last lines
            first = action.end - len(lines[stage.result])
            lines[stage.result][action.begin - first :] = range(action.begin, action.end)
    for stage in stages:
        if stage.result in whole or stage is stages[-1]:
            assert made[stage.result] == stage.rows


def test_three_lines_are_enough_for_windows_of_three() -> None:
    stages = [
        Stage("a", "a", 8, (window("x", 8, 8, 3, 1, 1),)),
        Stage("b", "b", 8, (window("a", 8, 8, 3, 1, 1),)),
    ]
    found = stream(stages, frozenset("a"), {"a": 1, "b": 1})
    assert found.lines == {"a": 3}
    kept = [action for action in found.actions if isinstance(action, Drop)]
    assert {(drop.dropped, drop.kept) for drop in kept} == {(1, 1), (1, 2)}
    replay(stages, frozenset("a"), found)


def test_a_branch_waits_for_the_other() -> None:
    # y = x + conv(conv(x)): two rows of delay.
    stages = [
        Stage("x", "x", 16, (window("in", 16, 16, 1, 1, 0),)),
        Stage("a", "a", 16, (window("x", 16, 16, 3, 1, 1),)),
        Stage("b", "b", 16, (window("a", 16, 16, 3, 1, 1),)),
        Stage("y", "y", 16, (window("b", 16, 16, 1, 1, 0), window("x", 16, 16, 1, 1, 0))),
    ]
    windows = frozenset(("x", "a", "b"))
    found = stream(stages, windows, dict.fromkeys("xaby", 1))
    assert found.lines == {"x": 3, "a": 3, "b": 1}
    replay(stages, windows, found)


@pytest.mark.parametrize("seed", range(300))
def test_random_stages(seed: int) -> None:
    generator = random.Random(seed)
    rows = {"in": generator.randint(1, 24)}
    stages: list[Stage] = []
    for number in range(generator.randint(1, 7)):
        name = f"t{number}"
        taps, stride = generator.randint(1, 5), generator.randint(1, 3)
        source = generator.choice([*rows][-3:])
        before = generator.randint(0, min(taps - 1, 2))
        count = (rows[source] + before - taps) // stride + 1
        if count < 1:
            continue
        reads = [window(source, rows[source], count, taps, stride, before)]
        same = [other for other in rows if rows[other] == count and other != source]
        if same and generator.random() < 0.5:
            reads.append(window(generator.choice(same), count, count, 1, 1, 0))
        rows[name] = count
        stages.append(Stage(name, name, count, tuple(reads)))
    if not stages:
        return
    read = {found.tensor for stage in stages for found in stage.reads}
    inner = [stage.result for stage in stages if stage.result in read]
    windows = frozenset(name for name in inner if generator.random() < 0.8)
    chunks = {stage.name: generator.choice((1, 1, 2, 3, 8)) for stage in stages}
    least = stream(stages, windows, chunks)
    replay(stages, windows, least)
    makes = [action for action in least.actions if isinstance(action, Make)]
    assert all(action.end - action.begin <= chunks[action.stage] for action in makes)
