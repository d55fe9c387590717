"""Files of problems and orders: JSON, as the README of this library describes it."""

import json
import os
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from tinsmith_scheduling.foundation import TinsmithError, UsageError
from tinsmith_scheduling.problem import Problem, ProblemError, Task
from tinsmith_scheduling.search import Schedule

VERSION = 1


class OrderFileError(TinsmithError):
    """A file that is no problem: where in it, what was expected, and what is there."""

    exit_status = 3


@dataclass(frozen=True)
class OrderFile:
    """A problem, and the fields of the file's nodes by their names, which come back as they are."""

    problem: Problem
    fields: Mapping[str, object]
    nodes: Mapping[str, object]


def read_problem(path: Path) -> OrderFile:
    """Raises UsageError if there is no such file, OrderFileError for a bad one."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise OrderFileError(
            f"{path}: expected UTF-8 text, got byte {error.start} that is none"
        ) from error
    try:
        data: object = json.loads(text)
    except json.JSONDecodeError as error:
        raise OrderFileError(
            f"{path}, line {error.lineno}, column {error.colno}: {error.msg}"
        ) from error
    except (RecursionError, ValueError) as error:
        raise OrderFileError(f"{path}: {error}") from error
    try:
        return _file(data)
    except (_FieldError, ProblemError) as error:
        raise OrderFileError(f"{path}: {error}") from error


def write_order(path: Path, file: OrderFile, schedule: Schedule) -> None:
    """The file with its nodes in the order found, written at once or not at all. Raises UsageError."""
    facts = {
        "peak": schedule.peak_bytes,
        "bound": schedule.lower_bound,
        "status": schedule.status,
    }
    nodes = [file.nodes[task.name] for task in schedule.order]
    root = {**file.fields, **facts, "nodes": nodes}
    text = json.dumps(root, indent=1, ensure_ascii=False) + "\n"
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}") from error
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as file_:
            file_.write(text)
        os.chmod(name, 0o666 & ~_umask())
        os.replace(name, path)
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}") from error
    finally:
        Path(name).unlink(missing_ok=True)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


class _FieldError(Exception):
    """What is wrong with a value, and where it stands."""


_FIELDS = {"tinsmith_order", "stores", "inputs", "outputs", "nodes", "peak", "bound", "status"}
_NODE_FIELDS = {"name", "after", "reads", "writes", "scratch", "over"}


def _file(data: object) -> OrderFile:
    root = _object(data, "the file", _FIELDS)
    version = root.get("tinsmith_order")
    if version != VERSION or isinstance(version, bool):
        raise _FieldError(f'expected "tinsmith_order": {VERSION}, got {_shown(version)}')
    sizes = _sizes(root.get("stores"), "stores")
    inputs = _names(root.get("inputs", []), "inputs")
    outputs = _names(root.get("outputs", []), "outputs")
    items = _list(root.get("nodes"), "nodes")
    nodes: dict[str, object] = {}
    tasks: list[Task] = []
    touched = _Touched()
    for at, item in enumerate(items):
        where = f"nodes[{at}]"
        task = _task(_object(item, where, _NODE_FIELDS), where, touched)
        if task.name in nodes:
            raise _FieldError(f"{where}: another node is called {task.name}, too")
        nodes[task.name] = item
        tasks.append(task)
        touched.add(task)
    problem = Problem(tuple(tasks), sizes, frozenset(inputs), frozenset(outputs))
    return OrderFile(problem, root, nodes)


class _Touched:
    """Who has written and who has read each store so far."""

    def __init__(self) -> None:
        self._writers: dict[str, list[str]] = {}
        self._readers: dict[str, list[str]] = {}

    def before(self, reads: Iterable[str], writes: Iterable[str]) -> set[str]:
        """Those that have written what a node reads, or read what it writes."""
        found = {name for store in reads for name in self._writers.get(store, ())}
        return found | {name for store in writes for name in self._readers.get(store, ())}

    def add(self, task: Task) -> None:
        """One more node."""
        for store in task.reads:
            self._readers.setdefault(store, []).append(task.name)
        for store in task.writes:
            self._writers.setdefault(store, []).append(task.name)


def _task(fields: Mapping[str, object], where: str, touched: _Touched) -> Task:
    name = _text(fields.get("name"), f"{where}.name")
    reads = _names(fields.get("reads", []), f"{where}.reads")
    writes = _names(fields.get("writes", [name]), f"{where}.writes")
    after = _names(fields.get("after", []), f"{where}.after")
    return Task(
        name,
        frozenset(after) | touched.before(reads, writes),
        frozenset(reads),
        frozenset(writes),
        _integer(fields.get("scratch", 0), f"{where}.scratch"),
        _sizes(fields.get("over", {}), f"{where}.over"),
    )


def _object(value: object, where: str, known: set[str]) -> dict[str, object]:
    fields = _mapping(value, where)
    for name in fields:
        if name not in known:
            raise _FieldError(
                f"{where}: unknown field {_shown(name)}: expected some of {', '.join(sorted(known))}"
            )
    return fields


def _mapping(value: object, where: str) -> dict[str, object]:
    if not isinstance(value, dict):
        raise _FieldError(f"{where}: expected an object, got {_shown(value)}")
    return cast("dict[str, object]", value)


def _sizes(value: object, where: str) -> dict[str, int]:
    return {
        name: _integer(size, f"{where}.{name}") for name, size in _mapping(value, where).items()
    }


def _list(value: object, where: str) -> Sequence[object]:
    if not isinstance(value, list):
        raise _FieldError(f"{where}: expected a list, got {_shown(value)}")
    return cast("list[object]", value)


def _names(value: object, where: str) -> list[str]:
    return [_text(item, f"{where}[{at}]") for at, item in enumerate(_list(value, where))]


def _text(value: object, where: str) -> str:
    if not isinstance(value, str):
        raise _FieldError(f"{where}: expected a text, got {_shown(value)}")
    return value


def _integer(value: object, where: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 1 << 62:
        raise _FieldError(f"{where}: expected an integer from 0 to 2**62 - 1, got {_shown(value)}")
    return value


def _shown(value: object) -> str:
    return "nothing" if value is None else json.dumps(value)[:60]
