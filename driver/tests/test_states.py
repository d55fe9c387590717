"""Networks that keep states from run to run, from their text to firmware."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from tinsmith_driver.cli import main
from tinsmith_emulators import MissingEmulatorError, need_emulator
from tinsmith_target import target

_EXAMPLE = Path("examples/streaming/frames.tsm")
MODEL = next(p / _EXAMPLE for p in Path(__file__).parents if (p / _EXAMPLE).is_file())


def need(name: str) -> None:
    try:
        need_emulator(target(name).board)
    except MissingEmulatorError as error:
        pytest.skip(str(error))


@pytest.mark.parametrize("name", ["host", "cortex-m4"])
def test_frames_are_right_in_every_byte(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    need(name)
    report = tmp_path / "report.json"
    options = ["--target", name, "--layers", "--json", str(report), "--no-progress"]
    assert main(["verify", str(MODEL), *options]) == 0
    assert "layers: all equal\n" in capsys.readouterr().out
    ram = json.loads(report.read_text())["ram"]
    assert [memory["name"] for memory in ram["memories"]] == ["arena", "state"]
    assert ram["memories"][1]["bytes"] == 2 * 16 * 4


def samples(folder: Path, *groups: int) -> Path:
    """Groups of frames, each all of one number."""
    path = folder / "frames.npz"
    frames = np.ones((3, 1, 1, 16, 4), np.int8)
    named = {f"x_group{number}": frames * number for number in groups}
    np.savez(path, allow_pickle=False, **named)
    return path


def outputs(folder: Path, *groups: int) -> dict[str, np.ndarray]:
    folder.mkdir()
    made = folder / "made.npz"
    given = ["--inputs", str(samples(folder, *groups)), "--outputs", str(made)]
    assert main(["run", str(MODEL), "--target", "host", "--no-progress", *given]) == 0
    with np.load(made) as archive:
        return {name: archive[name] for name in archive.files}


def test_each_group_is_a_sequence_of_its_own(tmp_path: Path) -> None:
    both, alone = outputs(tmp_path / "both", 1, 2), outputs(tmp_path / "alone", 2)
    (name,) = alone
    np.testing.assert_array_equal(both[name], alone[name])
    first, second, third = alone[name]
    assert not np.array_equal(first, second)
    assert not np.array_equal(second, third)


def test_plan_with_states_is_compiled_as_it_was_printed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = ["--target", "host", "--no-progress"]
    show = ["show", str(MODEL), *given[:2], "--after", "allocate-buffers", "--constants"]
    assert main(show) == 0
    plan = tmp_path / "plan.tsm"
    plan.write_text(capsys.readouterr().out)
    assert main(["verify", str(plan), *given]) == 0
    assert "bit-exact" in capsys.readouterr().out


def test_plan_that_overwrites_a_state_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    show = ["show", str(MODEL), "--target", "host", "--after", "allocate-buffers", "--constants"]
    assert main(show) == 0
    text = capsys.readouterr().out
    moved, count = re.subn(
        r'(buffer %features: .* in) "arena" at \d+', r'\1 "state" at 64', text, count=1
    )
    assert count == 1
    plan = tmp_path / "plan.tsm"
    plan.write_text(moved)
    assert main(["verify", str(plan), "--target", "host", "--no-progress"]) == 3
    assert "past" in capsys.readouterr().err


def test_networks_of_one_arena_keep_their_states(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of two networks each fits by itself where both do not."""
    other = tmp_path / "other.tsm"
    other.write_text(MODEL.read_text().replace('graph 2 "frames"', 'graph 2 "other"'))

    def compiled(ram: int, folder: str) -> int:
        output = ["-o", str(tmp_path / folder), "--ram", str(ram), "--no-progress"]
        options = ["--shared-arena", "--target", "cortex-m4", *output]
        return main(["compile", str(MODEL), str(other), *options])

    assert compiled(10_000, "large") == 0
    made = json.loads((tmp_path / "large/report.json").read_text())
    arena, states = made["arena"], made["states"]
    assert states == 2 * 2 * 16 * 4
    assert [network["ram"]["arena"] for network in made["networks"]] == [arena + states // 2] * 2
    assert f"shared arena {arena} bytes, states {states} bytes beside it" in capsys.readouterr().out
    assert compiled(arena + states, "enough") == 0
    assert compiled(arena + states - 1, "small") == 1
    assert f"{states} of them for states, available {arena + states - 1}" in capsys.readouterr().err
    assert not (tmp_path / "small").exists()


def test_explore_counts_states_in_what_is_needed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What it says to be the least is compiled, and a byte less is refused by the same sum."""
    found = tmp_path / "explored.json"
    given = [str(MODEL), "--target", "host", "--no-progress"]
    assert main(["explore", *given, "--json", str(found)]) == 0
    explored = json.loads(found.read_text())
    least = explored["rows"][-1]["arena_bytes"]
    states = 2 * 16 * 4
    wanted = f"needed {least} bytes, {states} of them for states, available {least - 1} bytes"
    assert explored["refusal"].startswith(wanted)
    for options in ([], ["--no-split"]):
        compiled = ["compile", *given, *options, "-o", str(tmp_path / "made")]
        assert main([*compiled, "--ram", str(least)]) == 0
        assert main([*compiled, "--ram", str(least - 1)]) == 1
        assert wanted in capsys.readouterr().err
