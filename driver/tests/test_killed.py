"""`verify` killed at any moment takes everything with it: processes, temporary files, half of an output.

As a program it tries many moments: `python driver/tests/test_killed.py 20` with this repository's libraries
on PYTHONPATH prints what each of four signals at 20 moments has left behind; `20 cold` with empty caches.
"""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

_SIGNALS = (signal.SIGTERM, signal.SIGHUP, signal.SIGKILL, signal.SIGINT)
_MARKER = "TINSMITH_TEST_MARKER"
_LAYERS = 24
# After a command's death its guard ends the rest at once, but a busy machine may let it wait.
_PATIENCE_SECONDS = 30
_SWEEP_SECONDS = 2
# What is there when it was killed too late.
_WHOLE = ["new", "slow.html", "slow.json"]
# Whoever starts the test may ignore these signals, which is inherited.
_MAIN = """
import signal, sys
signal.signal(signal.SIGHUP, signal.SIG_DFL)
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.argv[0] = "tinsmith"
import runpy
runpy.run_module("tinsmith_driver", run_name="__main__")
"""


@dataclass
class Verify:
    """A `verify` that runs for seconds, most of them in QEMU; all that it writes is below `root`."""

    root: Path
    marker: str = field(default_factory=lambda: uuid.uuid4().hex)

    def start(self) -> "subprocess.Popen[bytes]":
        """Start it, with a marker that all its descendants inherit."""
        shutil.rmtree(self.root / "outputs", ignore_errors=True)
        for name in ("outputs", "temporary", "cache"):
            (self.root / name).mkdir(parents=True, exist_ok=True)
        model = self.root / "slow.tsm"
        model.write_text(_slow_model())
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(sys.path),
            "TMPDIR": str(self.root / "temporary"),
            "TINSMITH_CACHE_DIR": str(self.root / "cache"),
            _MARKER: self.marker,
        }
        outputs = [f"--{kind}={self.root}/outputs/new/slow.{kind}" for kind in ("json", "html")]
        options = ["--target", "cortex-m0", "--ram", "900000", *outputs]
        command = [sys.executable, "-c", _MAIN, "verify", str(model), *options]
        return subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment
        )

    def running(self) -> dict[int, str]:
        """The command lines of all its processes, by number."""
        return dict(_processes_with(f"{_MARKER}={self.marker}".encode()))

    def left_behind(self, seconds: int) -> list[str]:
        """What is still there so long after the end, or sooner if there is nothing."""
        for _ in range(10 * seconds):
            if not self._left():
                return []
            time.sleep(0.1)
        return self._left()

    def _left(self) -> list[str]:
        files = _below(self.root / "temporary")
        written = sorted(_below(self.root / "outputs"))
        if [path.name for path in written] != _WHOLE:
            files += written
        files += [path for path in _below(self.root / "cache") if _is_unfinished(path)]
        return [*self.running().values(), *map(str, files)]


def _below(folder: Path) -> list[Path]:
    """All files and folders there, of which some may go away meanwhile."""
    return [
        Path(parent, name)
        for parent, folders, files in os.walk(folder)
        for name in (*folders, *files)
    ]


def _slow_model() -> str:
    softmax = [f"%x{i + 1}: f32[1, 2048] = softmax(%x{i}) {{beta = 1.0}}" for i in range(_LAYERS)]
    lines = ['graph 2 "slow" {', "input %x0: f32[1, 2048]", *softmax, f"output %x{_LAYERS}", "}"]
    return "\n".join(lines)


def _is_unfinished(path: Path) -> bool:
    return path.name.startswith(".") or (path.parent.name == "tmp" and path.is_file())


def _processes_with(entry: bytes) -> Iterator[tuple[int, str]]:
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        try:
            if entry in (folder / "environ").read_bytes().split(b"\0"):
                words = (folder / "cmdline").read_bytes().split(b"\0")
                yield int(folder.name), b" ".join(words).decode(errors="replace")
        except OSError:  # it has ended meanwhile, or is another user's
            continue


def _wait_for(program: str, verify: Verify, process: "subprocess.Popen[bytes]") -> None:
    while not any(program in line.split(" ")[0] for line in verify.running().values()):
        assert process.poll() is None, process.communicate()[1]


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One for all, so that only the first compiles the kernels."""
    return tmp_path_factory.mktemp("killed")


@pytest.mark.skipif(shutil.which("qemu-system-arm") is None, reason="QEMU is not installed")
@pytest.mark.parametrize(
    ("number", "program"),
    [
        (signal.SIGKILL, "zig"),
        (signal.SIGINT, "zig"),
        (signal.SIGTERM, "qemu-system-arm"),
        (signal.SIGHUP, "qemu-system-arm"),
        (signal.SIGKILL, "qemu-system-arm"),
        (signal.SIGINT, "qemu-system-arm"),
    ],
)
def test_nothing_is_left_of_a_killed_verify(
    number: signal.Signals, program: str, root: Path
) -> None:
    verify = Verify(root)
    with verify.start() as process:
        _wait_for(program, verify, process)
        process.send_signal(number)
        _, said = process.communicate()
    interrupted = number == signal.SIGINT
    assert process.returncode == (130 if interrupted else -number)
    assert said == (b"tinsmith: interrupted\n" if interrupted else b"")
    assert verify.left_behind(_PATIENCE_SECONDS) == []
    assert not any((root / "outputs").iterdir())


def _sweep(moments: int, *, cold: bool) -> bool:
    """Kill at that many moments, evenly spread over the processor time it takes; whether nothing was left.

    cold: always with an empty cache, so that most of the time goes to compilers.
    """
    clean = True
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        _whole_ticks(root)
        whole = _whole_ticks(root / "other" if cold else root)
        for number in _SIGNALS:
            for moment in range(moments):
                verify = Verify(root / f"{number.name}{moment}" if cold else root)
                with verify.start() as process:
                    while _ticks(verify) < whole * moment // moments and process.poll() is None:
                        time.sleep(0.003)
                    programs = {Path(line.split(" ")[0]).name for line in verify.running().values()}
                    process.send_signal(number)
                    _, said = process.communicate()
                left = verify.left_behind(_SWEEP_SECONDS)
                clean = clean and not left
                status = f"status {process.returncode}, {said!r}, left: {left or 'nothing'}"
                where = f"{number.name} {moment + 1}/{moments} {sorted(programs)}"
                print(f"{where}: {status}", flush=True)
    return clean


def _whole_ticks(root: Path) -> int:
    verify, ticks = Verify(root), 0
    with verify.start() as process:
        while process.poll() is None:
            ticks = max(ticks, _ticks(verify))
            time.sleep(0.01)
    return ticks


def _ticks(verify: Verify) -> int:
    """Processor time so far, of those that run and the children that they have waited for."""
    total = 0
    for number in verify.running():
        with contextlib.suppress(OSError):  # ended meanwhile
            text = Path(f"/proc/{number}/stat").read_text()
            total += sum(map(int, text.rsplit(")", 1)[1].split()[11:15]))
    return total


if __name__ == "__main__":
    sys.exit(0 if _sweep(int(sys.argv[1]), cold="cold" in sys.argv) else 1)
