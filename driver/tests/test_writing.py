import os
import signal
import stat
from pathlib import Path

import pytest
from tinsmith_driver.writing import refuse_collisions, write_outputs
from tinsmith_ir import UsageError


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    real, link = tmp_path / "real.json", tmp_path / "link.json"
    real.write_bytes(b"old")
    link.symlink_to(real)
    write_outputs({link: b"new"})
    assert link.is_symlink()
    assert real.read_bytes() == b"new"


def test_a_pipe_is_written_to_not_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reading = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write_outputs({pipe: b"new"})
    assert os.read(reading, 100) == b"new"
    os.close(reading)
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_a_file_in_a_new_folder_is_made(tmp_path: Path) -> None:
    write_outputs({tmp_path / "a" / "b" / "c.json": b"new"})
    assert [path.name for path in (tmp_path / "a" / "b").iterdir()] == ["c.json"]


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="name of a file"):
        write_outputs({tmp_path: b""})


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UsageError, match="expected a folder"):
        write_outputs({tmp_path / "file" / "a": b""})


def test_nothing_is_written_when_something_cannot_be(tmp_path: Path) -> None:
    old, new = tmp_path / "old.c", tmp_path / "new" / "deep" / "new.c"
    old.write_bytes(b"old")
    with pytest.raises(UsageError, match="expected a folder"):
        write_outputs({old: b"new", new: b"new", old / "below.json": b"new"})
    assert old.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [old]


def test_an_interrupt_waits_until_all_files_are_in_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace = os.replace

    def replace_interrupted(source: Path, destination: Path) -> None:
        replace(source, destination)
        signal.raise_signal(signal.SIGINT)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # it may be ignored
    monkeypatch.setattr("os.replace", replace_interrupted)
    try:
        with pytest.raises(KeyboardInterrupt):
            write_outputs({tmp_path / name: b"new" for name in ("a.c", "a.h", "report.json")})
    finally:
        signal.signal(signal.SIGINT, before)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.c", "a.h", "report.json"]


def test_files_collide_by_whatever_name(tmp_path: Path) -> None:
    model = tmp_path / "model.tflite"
    model.touch()
    (tmp_path / "symbolic").symlink_to(model)
    os.link(model, tmp_path / "hard")
    (tmp_path / "folder").mkdir()
    names = ("model.tflite", "symbolic", "hard", "folder/../model.tflite", "model.tflite/x")
    for name in names:
        with pytest.raises(UsageError, match="--json collides with MODEL"):
            refuse_collisions({"--json": tmp_path / name}, {"MODEL": model})


def test_files_that_are_to_be_made_collide(tmp_path: Path) -> None:
    page = tmp_path / "absent" / "page"
    for other in (page, page.parent, page / "below"):
        with pytest.raises(UsageError, match="--json collides with --html"):
            refuse_collisions({"--json": other, "--html": page}, {})
    refuse_collisions({"--json": page.with_suffix(".json"), "--html": page}, {})


def test_devices_do_not_collide() -> None:
    nowhere = Path("/dev/null")
    refuse_collisions({"--json": nowhere, "--html": nowhere}, {"MODEL": nowhere})
