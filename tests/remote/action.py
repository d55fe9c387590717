"""Runs one action of the Remote Execution API: its inputs in a fresh folder, its environment, its time, its outputs."""

import os
import shutil
import signal
import subprocess
import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from content import ContentAtHand, Store, digest_of, digest_of_file
from protocol import reapi

_POLL_SECONDS = 0.05


class ActionTimeoutError(Exception):
    """The command took longer than its action allows; `result` holds what it printed."""

    def __init__(self, message: str, result: reapi.ActionResult) -> None:
        super().__init__(message)
        self.result = result


class ActionCancelledError(Exception):
    """Nobody wants the result any more."""


@dataclass
class _Outputs:
    """What to report and what to upload."""

    result: reapi.ActionResult = field(default_factory=reapi.ActionResult)
    contents: dict[str, bytes | Path] = field(default_factory=dict[str, bytes | Path])

    def add_bytes(self, content: bytes) -> reapi.Digest:
        digest = digest_of(content)
        self.contents[digest.hash] = content
        return digest

    def add_file(self, path: Path) -> reapi.Digest:
        digest = digest_of_file(path)
        self.contents[digest.hash] = path
        return digest


def run_action(
    action: reapi.Action,
    folder: Path,
    at_hand: ContentAtHand,
    store: Store,
    cancelled: threading.Event | None = None,
) -> reapi.ActionResult:
    """The result of an action whose files the store then holds.

    folder: does not exist, on the disk of at_hand; gone afterwards. cancelled: ends the command when set.
    Raises ActionTimeoutError, ActionCancelledError and MissingContentError.
    """
    result = reapi.ActionResult()
    metadata = result.execution_metadata
    command = reapi.Command.FromString(at_hand.message(action.command_digest))
    root = folder / "root"
    outputs = _Outputs(result)
    try:
        metadata.input_fetch_start_timestamp.GetCurrentTime()
        _lay_out_inputs(action.input_root_digest, root, at_hand)
        metadata.input_fetch_completed_timestamp.GetCurrentTime()
        start = root / command.working_directory
        for path in _output_paths(command):
            (start / path).parent.mkdir(parents=True, exist_ok=True)

        metadata.execution_start_timestamp.GetCurrentTime()
        timeout = (
            action.timeout.ToTimedelta().total_seconds() if action.HasField("timeout") else None
        )
        status = _run(command, start, folder, timeout, cancelled or threading.Event())
        metadata.execution_completed_timestamp.GetCurrentTime()

        metadata.output_upload_start_timestamp.GetCurrentTime()
        result.stdout_digest.CopyFrom(outputs.add_file(folder / "stdout"))
        result.stderr_digest.CopyFrom(outputs.add_file(folder / "stderr"))
        if status is not None:
            result.exit_code = status
            for path in _output_paths(command):
                _collect(start / path, path, outputs)
        store.write(outputs.contents)
        metadata.output_upload_completed_timestamp.GetCurrentTime()
        if status is None:
            raise ActionTimeoutError(f"the command was ended after {timeout} s", result)
        return result
    finally:
        _remove(folder)


def _lay_out_inputs(root: reapi.Digest, folder: Path, at_hand: ContentAtHand) -> None:
    directories = at_hand.directories(root)
    at_hand.fetch(node for directory in directories.values() for node in directory.files)
    todo = [(root.hash, folder)]
    while todo:
        hash_, path = todo.pop()
        path.mkdir(parents=True)
        directory = directories[hash_]
        for node in directory.files:
            at_hand.link(node, path / node.name)
        for link in directory.symlinks:
            (path / link.name).symlink_to(link.target)
        todo += [(node.digest.hash, path / node.name) for node in directory.directories]


def _output_paths(command: reapi.Command) -> list[str]:
    """Clients of version 2.1 and later say `output_paths`, older ones files and directories apart."""
    return list(command.output_paths) or [*command.output_files, *command.output_directories]


def _run(
    command: reapi.Command,
    start: Path,
    folder: Path,
    timeout: float | None,
    cancelled: threading.Event,
) -> int | None:
    """The exit status, or None when time was up. Nothing that the command started in its session outlives it."""
    environment = {entry.name: entry.value for entry in command.environment_variables}
    with (folder / "stdout").open("wb") as stdout, (folder / "stderr").open("wb") as stderr:
        try:
            process = subprocess.Popen(
                list(command.arguments),
                cwd=start,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=stdout,
                stderr=stderr,
                start_new_session=True,
            )
        except OSError as error:  # as a shell says it
            stderr.write(f"{command.arguments[0]}: {error.strerror}\n".encode())
            return 127 if isinstance(error, FileNotFoundError) else 126
        try:
            return _wait(process, timeout, cancelled)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _wait(
    process: subprocess.Popen[bytes], timeout: float | None, cancelled: threading.Event
) -> int | None:
    waited = 0.0
    while timeout is None or waited < timeout:
        with suppress(subprocess.TimeoutExpired):
            status = process.wait(_POLL_SECONDS)
            return status if status >= 0 else 128 - status
        waited += _POLL_SECONDS
        if cancelled.is_set():
            raise ActionCancelledError
    return None


def _collect(path: Path, name: str, outputs: _Outputs) -> None:
    """An output that the command did not make is left out: its client knows whether it had to."""
    result = outputs.result
    if target := _kept_link(path):
        # Clients of version 2.1 and later read the first, older ones one of the others.
        result.output_symlinks.add(path=name, target=target)
        older = result.output_directory_symlinks if path.is_dir() else result.output_file_symlinks
        older.add(path=name, target=target)
    elif path.is_dir():
        tree = reapi.Tree()
        tree.root.CopyFrom(_directory(path, tree, outputs))
        digest = outputs.add_bytes(tree.SerializeToString(deterministic=True))
        result.output_directories.add(path=name, tree_digest=digest)
    elif path.is_file():
        result.output_files.add(
            path=name, digest=outputs.add_file(path), is_executable=os.access(path, os.X_OK)
        )


def _directory(folder: Path, tree: reapi.Tree, outputs: _Outputs) -> reapi.Directory:
    """The message of a folder, those below it being added to the tree."""
    directory = reapi.Directory()
    for path in sorted(folder.iterdir()):
        if target := _kept_link(path):
            directory.symlinks.add(name=path.name, target=target)
        elif path.is_dir():
            child = _directory(path, tree, outputs)
            tree.children.append(child)
            digest = digest_of(child.SerializeToString(deterministic=True))
            directory.directories.add(name=path.name, digest=digest)
        elif path.is_file():
            directory.files.add(
                name=path.name,
                digest=outputs.add_file(path),
                is_executable=os.access(path, os.X_OK),
            )
    return directory


def _kept_link(path: Path) -> str | None:
    """The target of a link that means the same elsewhere; others stand for what they point to."""
    target = str(path.readlink()) if path.is_symlink() else None
    return target if target and not target.startswith("/") else None


def _remove(folder: Path) -> None:
    """Also where an action took its own permissions away."""
    for path in _folders(folder):
        path.chmod(0o755)
    shutil.rmtree(folder, ignore_errors=True)


def _folders(folder: Path) -> Iterator[Path]:
    if folder.is_dir() and not folder.is_symlink():
        yield folder
        for path in folder.iterdir():
            yield from _folders(path)
