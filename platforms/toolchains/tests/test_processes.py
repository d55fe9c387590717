"""Children and temporary folders end with the process that they belong to, however it ends."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from tinsmith_toolchains import Children, MissingToolError, ToolchainError, temporary_folder

# A folder, and in a thread a child with a child of its own; the word says that both run.
_PROGRAM = """
import multiprocessing, os, sys, threading, time
from pathlib import Path
from tinsmith_toolchains import Children, temporary_folder

def sleep(folder):
    Children().run(["sh", "-c", f"sleep 600 & echo $! > '{folder}/child'; wait"])

def work(parent, start):
    with temporary_folder("a b\\\\c", Path(parent)) as folder:
        start(target=sleep, args=(folder,), daemon=True).start()
        while not (folder / "child").exists() or not (folder / "child").read_text().strip():
            time.sleep(0.01)
        print((folder / "child").read_text().strip(), flush=True)
        time.sleep(600)

if __name__ == "__main__":
    work(sys.argv[1], {START})
"""
_THREAD = "threading.Thread"
_FORK = 'multiprocessing.get_context("fork").Process'
_SPAWN = 'multiprocessing.get_context("spawn").Process'


def _start(folder: Path, start: str) -> "subprocess.Popen[str]":
    program = folder / "program.py"
    program.write_text(_PROGRAM.replace("{START}", start))
    parent = folder / "parent"
    parent.mkdir()
    command = [sys.executable, str(program), str(parent)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP])
def test_what_a_thread_started_ends_with_the_process(tmp_path: Path, number: int) -> None:
    with _start(tmp_path, _THREAD) as process:
        assert process.stdout is not None
        child = int(process.stdout.readline())
        process.send_signal(number)
    assert _comes_true(lambda: _is_gone(child))
    assert _comes_true(lambda: not list((tmp_path / "parent").iterdir()))


@pytest.mark.parametrize("start", [_FORK, _SPAWN])
def test_a_killed_process_is_cleaned_up_though_its_own_children_live(
    tmp_path: Path, start: str
) -> None:
    with _start(tmp_path, start) as process:
        assert process.stdout is not None
        child = int(process.stdout.readline())
        process.kill()
    assert _comes_true(lambda: not list((tmp_path / "parent").iterdir()))
    leader = os.getpgid(child)
    worker = _parent_of(leader)
    os.kill(worker, signal.SIGKILL)  # multiprocessing's worker outlives its parent
    assert _comes_true(lambda: _is_gone(child))


def test_children_that_are_ended_end_and_no_others_start(tmp_path: Path) -> None:
    children = Children()
    started = tmp_path / "started"
    statuses: list[int] = []

    def run() -> None:
        statuses.append(children.run(["sh", "-c", f"touch {started}; sleep 600"]).status)

    thread = threading.Thread(target=run)
    thread.start()
    assert _comes_true(started.exists)
    children.end()
    thread.join()
    assert statuses == [-signal.SIGKILL]
    with pytest.raises(ToolchainError, match="given up"):
        children.run(["touch", str(tmp_path / "late")])
    assert not (tmp_path / "late").exists()


def test_what_a_child_leaves_running_is_ended_with_it(tmp_path: Path) -> None:
    command = ["sh", "-c", "sleep 600 > /dev/null 2>&1 & echo $!"]
    finished = Children().run(command, directory=tmp_path)
    assert finished.status == 0
    assert _comes_true(lambda: _is_gone(int(finished.output)))


def test_children_read_nothing_and_their_output_comes_back() -> None:
    finished = Children().run(["sh", "-c", "cat; echo out; echo err >&2; exit 3"])
    assert (finished.status, finished.output, finished.errors) == (3, b"out\n", b"err\n")
    joined = Children().run(["sh", "-c", "echo out; echo err >&2"], join_errors=True)
    assert joined.output == b"out\nerr\n"


def test_a_program_that_is_absent_is_named() -> None:
    with pytest.raises(MissingToolError, match="no_such_program"):
        Children().run(["no_such_program"])


def test_a_guard_that_was_killed_is_replaced(tmp_path: Path) -> None:
    program = """
import os, signal, sys
from pathlib import Path
from tinsmith_toolchains import Children, temporary_folder
with temporary_folder("first-", Path(sys.argv[1])):
    guard, = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
    os.kill(int(guard), signal.SIGKILL)
    os.waitid(os.P_PID, int(guard), os.WEXITED | os.WNOWAIT)
    print(Children().run(["echo", "fine"]).output.decode(), end="", flush=True)
    os._exit(0)
"""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", program, str(tmp_path)]
    assert subprocess.check_output(command, env=environment) == b"fine\n"
    assert _comes_true(lambda: not list(tmp_path.iterdir()))


def test_a_temporary_folder_is_private_and_gone_after_an_error(tmp_path: Path) -> None:
    def fail() -> None:
        with temporary_folder("x-", tmp_path) as folder:
            assert folder.stat().st_mode & 0o777 == 0o700
            (folder / "file").touch()
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert not list(tmp_path.iterdir())


def _parent_of(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[1])


def _is_gone(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return True
    return state == "Z"  # a killed child stays as a zombie until init collects it


def _comes_true(condition: Callable[[], bool]) -> bool:
    """Whether it does; soon, on any machine. Gives up after many looks."""
    for _ in range(300):
        if condition():
            return True
        time.sleep(0.1)
    return False
