import os
import stat
from pathlib import Path

import pytest
from tinsmith_driver.writing import write_file, write_files
from tinsmith_ir import UsageError


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    real, link = tmp_path / "real.json", tmp_path / "link.json"
    real.write_bytes(b"old")
    link.symlink_to(real)
    write_file(link, b"new")
    assert link.is_symlink()
    assert real.read_bytes() == b"new"


def test_a_pipe_is_written_to_not_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reading = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write_file(pipe, b"new")
    assert os.read(reading, 100) == b"new"
    os.close(reading)
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_a_file_in_a_new_folder_is_made(tmp_path: Path) -> None:
    write_file(tmp_path / "a" / "b" / "c.json", b"new")
    assert [path.name for path in (tmp_path / "a" / "b").iterdir()] == ["c.json"]


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="name of a file"):
        write_file(tmp_path, b"")


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UsageError, match="expected a folder"):
        write_files(tmp_path / "file", {"a": b""})
