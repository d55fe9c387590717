"""What is read, and what is refused before it can be read without end."""

import os
from pathlib import Path

import pytest
from tinsmith_ir.errors import ModelError, UsageError
from tinsmith_ir.files import read_file


def test_a_file_is_read_through_links(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"content")
    (tmp_path / "link").symlink_to(tmp_path / "file")
    assert read_file(tmp_path / "link", "a model", 7) == b"content"


def test_a_link_to_an_endless_device_is_refused(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("/dev/zero")
    with pytest.raises(UsageError, match="expected a file with a model, got a device"):
        read_file(tmp_path / "link", "a model", 100)


def test_a_pipe_without_a_writer_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(UsageError, match="got a pipe"):
        read_file(tmp_path / "pipe", "a model", 100)


def test_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="got a folder"):
        read_file(tmp_path, "a model", 100)


def test_links_in_a_circle_are_refused(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "link")
    with pytest.raises(UsageError, match="cannot read a model"):
        read_file(tmp_path / "link", "a model", 100)


@pytest.mark.parametrize("name", ["absent", "a\0b", "a" * 5000])
def test_a_name_of_nothing_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="a model"):
        read_file(tmp_path / name, "a model", 100)


def test_a_file_over_the_limit_is_refused_unread(tmp_path: Path) -> None:
    with (tmp_path / "large").open("wb") as stream:
        stream.truncate(1 << 40)  # sparse
    with pytest.raises(ModelError, match=r"at most 2,147,483,647 bytes, got 1,099,511,627,776"):
        read_file(tmp_path / "large", "a model", 2**31 - 1)
