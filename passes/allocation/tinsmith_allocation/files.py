"""Problems and plans as files: the CSV that MiniMalloc reads and writes, and JSON for all that blocks can say.

CSV: one line for each block, below a line of the names of columns: `id,lower,upper,size` and, as one likes, `alignment`
and `offset` (https://github.com/google/minimalloc, Apache-2.0). A block lives from `lower` to before `upper`.
JSON: see the README of this library.
"""

import csv
import io
import json
import os
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from tinsmith_allocation.foundation import Checked, TinsmithError, UsageError
from tinsmith_allocation.joint import Model, models_apart
from tinsmith_allocation.model import Block, Leave, PlanError

VERSION = 1


class PlanFileError(TinsmithError):
    """A file that is no problem or plan: where in it, what was expected, and what is there."""

    exit_status = 3


@dataclass(frozen=True)
class Problem(Checked):
    """Models and the groups of those that run at the same time. is_joint: False for one model without a name."""

    models: tuple[Model, ...]
    together: tuple[frozenset[str], ...] = ()
    capacity_bytes: int | None = None
    is_joint: bool = False

    def __post_init__(self) -> None:
        """Raise UsageError for models whose names are not unique, or for a group that names another."""
        super().__post_init__()
        models_apart([model.name for model in self.models], self.together)


def read_problem(path: Path) -> Problem:
    """The problem of a .csv or .json file. Raises UsageError if there is no such file, PlanFileError for a bad one."""
    text = _read(path)
    if _format(path) == "csv":
        return Problem((Model("", _csv_blocks(path, text)),))
    return _Json(path).problem(text)


def read_offsets(path: Path) -> dict[tuple[str, str], int]:
    """The offsets of a plan that was written: (name of model, name of block) -> offset."""
    problem = read_problem(path)
    found: dict[tuple[str, str], int] = {}
    for model in problem.models:
        for block in model.blocks:
            if block.offset is None:
                raise PlanFileError(
                    f"{path}: block {block.name} has no offset: expected a plan, in which each block has one"
                )
            found[model.name, block.name] = block.offset
    return found


def write_plan(
    path: Path,
    problem: Problem,
    offsets: Mapping[tuple[str, str], int],
    facts: Mapping[str, object],
) -> None:
    """The plan as .csv or .json, written at once or not at all. facts: what else JSON says, such as the arena."""
    text = (
        _csv_text(problem, offsets)
        if _format(path) == "csv"
        else _json_text(problem, offsets, facts)
    )
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}") from error
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        os.chmod(name, 0o666 & ~_umask())
        os.replace(name, path)
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}") from error
    finally:
        Path(name).unlink(missing_ok=True)


def check_format(path: Path) -> None:
    """Raise UsageError for a name that says neither CSV nor JSON."""
    _format(path)


def _format(path: Path) -> str:
    suffix = path.suffix.lower()
    if suffix not in (".csv", ".json"):
        raise UsageError(f"{path}: expected a name that ends in .csv or .json")
    return suffix[1:]


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _read(path: Path) -> str:
    _format(path)
    try:
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise PlanFileError(
            f"{path}: expected UTF-8 text, got byte {error.start} that is none"
        ) from error


# Columns by the names that MiniMalloc takes; an `end` is the last step itself.
_COLUMNS = {
    "id": "id",
    "buffer": "id",
    "buffer_id": "id",
    "lower": "lower",
    "start": "lower",
    "begin": "lower",
    "upper": "upper",
    "end": "end",
    "size": "size",
    "alignment": "alignment",
    "offset": "offset",
    "gaps": "gaps",
    "hint": "hint",
}


def _csv_blocks(path: Path, text: str) -> tuple[Block, ...]:
    reader = csv.reader(io.StringIO(text), strict=True)
    blocks: dict[str, Block] = {}
    try:
        header = [field.strip() for field in next(reader, list[str]())]
        columns = _csv_columns(path, header)
        for row in reader:
            where = f"{path}, line {reader.line_num}"
            if not row:
                continue
            if len(row) != len(header):
                raise PlanFileError(f"{where}: expected {len(header)} fields, got {len(row)}")
            block = _csv_block(where, dict(zip(columns, map(str.strip, row), strict=True)))
            if block.name in blocks:
                raise PlanFileError(f"{where}: a block {block.name} stands above already")
            blocks[block.name] = block
    except csv.Error as error:
        raise PlanFileError(f"{path}, line {reader.line_num}: {error}") from error
    return tuple(blocks.values())


def _csv_columns(path: Path, header: Sequence[str]) -> list[str]:
    unknown = [name for name in header if name not in _COLUMNS]
    if unknown:
        raise PlanFileError(
            f"{path}, line 1: unknown column {unknown[0]!r}: expected some of {', '.join(_COLUMNS)}"
        )
    columns = [_COLUMNS[name] for name in header]
    ends = {"upper", "end"} & set(columns)
    missing = [name for name in ("id", "lower", "size") if name not in columns]
    missing += [] if ends else ["upper"]
    if missing:
        raise PlanFileError(
            f"{path}, line 1: expected a column {missing[0]}, got {','.join(header)}"
        )
    if len(set(columns)) < len(columns) or len(ends) == 2:
        raise PlanFileError(f"{path}, line 1: two columns say the same: {','.join(header)}")
    return columns


def _csv_block(where: str, row: Mapping[str, str]) -> Block:
    def number(column: str) -> int:
        try:
            return int(row[column])
        except ValueError:
            raise PlanFileError(
                f"{where}: expected an integer as {column}, got {row[column]!r}"
            ) from None

    if row.get("gaps"):
        raise PlanFileError(
            f"{where}: gaps are not supported: leave the column empty, and the block lives all the time"
        )
    last = number("upper") - 1 if "upper" in row else number("end")
    alignment = number("alignment") if row.get("alignment") else 1
    offset = number("offset") if row.get("offset") else None
    try:
        return Block(row["id"], number("size"), number("lower"), last, alignment, offset)
    except PlanError as error:
        raise PlanFileError(f"{where}: {error}") from error


class _Json:
    """Reads one JSON file; what is wrong is told with its place, such as blocks[3].size."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def problem(self, text: str) -> Problem:
        try:
            data: object = json.loads(text)
        except json.JSONDecodeError as error:
            raise PlanFileError(
                f"{self._path}, line {error.lineno}, column {error.colno}: {error.msg}"
            ) from error
        except RecursionError as error:
            raise PlanFileError(f"{self._path}: nested too deep") from error
        root = self._object(data, "the file", {*_ROOT, *_FACTS})
        if root.get("tinsmith_plan") != VERSION:
            raise PlanFileError(
                f'{self._path}: expected "tinsmith_plan": {VERSION}, got {root.get("tinsmith_plan")!r}'
            )
        capacity = self._optional_integer(root, "capacity", "the file")
        if "models" not in root:
            if "together" in root:
                raise PlanFileError(f'{self._path}: "together" is for files with "models"')
            return Problem((self._model("", root, ""),), (), capacity)
        if "blocks" in root or "leaves" in root:
            raise PlanFileError(f'{self._path}: expected "models" or "blocks", got both')
        models: list[Model] = []
        for at, item in enumerate(self._list(root["models"], "models")):
            where = f"models[{at}]"
            fields = self._object(item, where, {"name", "blocks", "leaves"})
            models.append(self._model(self._text(fields, "name", where), fields, where + "."))
        together = [
            frozenset(
                self._name(name, f"together[{at}]") for name in self._list(group, f"together[{at}]")
            )
            for at, group in enumerate(self._list(root.get("together", []), "together"))
        ]
        return Problem(tuple(models), tuple(together), capacity, is_joint=True)

    def _model(self, name: str, fields: Mapping[str, object], prefix: str) -> Model:
        if "blocks" not in fields:
            raise PlanFileError(f'{self._path}: expected "{prefix}blocks"')
        blocks: dict[str, Block] = {}
        for at, item in enumerate(self._list(fields["blocks"], f"{prefix}blocks")):
            block = self._block(item, f"{prefix}blocks[{at}]")
            if block.name in blocks:
                raise PlanFileError(
                    f"{self._path}: {prefix}blocks[{at}]: a block {block.name} stands above already"
                )
            blocks[block.name] = block
        leaves = [
            self._leave(item, f"{prefix}leaves[{at}]")
            for at, item in enumerate(self._list(fields.get("leaves", []), f"{prefix}leaves"))
        ]
        return Model(name, tuple(blocks.values()), tuple(leaves))

    def _block(self, item: object, where: str) -> Block:
        fields = self._object(item, where, _BLOCK)
        alignment = self._optional_integer(fields, "alignment", where)
        try:
            return Block(
                self._text(fields, "name", where),
                self._integer(fields, "size", where),
                self._integer(fields, "first_step", where),
                self._integer(fields, "last_step", where),
                1 if alignment is None else alignment,
                self._optional_integer(fields, "offset", where),
            )
        except PlanError as error:
            raise PlanFileError(f"{self._path}: {where}: {error}") from error

    def _leave(self, item: object, where: str) -> Leave:
        fields = self._object(item, where, _LEAVE)
        exactly = self._list(fields.get("exactly", []), f"{where}.exactly")
        return Leave(
            self._text(fields, "output", where),
            self._text(fields, "source", where),
            self._optional_integer(fields, "at_most", where),
            self._optional_integer(fields, "at_least", where),
            tuple(self._integer({"exactly": one}, "exactly", where) for one in exactly),
        )

    def _object(self, value: object, where: str, known: set[str]) -> dict[str, object]:
        if not isinstance(value, dict):
            raise self._wrong(where, "an object", value)
        fields = cast("dict[str, object]", value)
        for name in fields:
            if name not in known:
                raise PlanFileError(
                    f"{self._path}: {where}: unknown field {name!r}: expected some of {', '.join(sorted(known))}"
                )
        return fields

    def _list(self, value: object, where: str) -> list[object]:
        if not isinstance(value, list):
            raise self._wrong(where, "a list", value)
        return cast("list[object]", value)

    def _text(self, fields: Mapping[str, object], name: str, where: str) -> str:
        return self._name(fields.get(name), f"{where}.{name}")

    def _name(self, value: object, where: str) -> str:
        if not isinstance(value, str):
            raise self._wrong(where, "a text", value)
        return value

    def _integer(self, fields: Mapping[str, object], name: str, where: str) -> int:
        value = fields.get(name)
        if not isinstance(value, int) or isinstance(value, bool):
            raise self._wrong(f"{where}.{name}", "an integer", value)
        return value

    def _optional_integer(self, fields: Mapping[str, object], name: str, where: str) -> int | None:
        return None if fields.get(name) is None else self._integer(fields, name, where)

    def _wrong(self, where: str, expected: str, value: object) -> PlanFileError:
        got = "nothing" if value is None else json.dumps(value)
        return PlanFileError(f"{self._path}: {where}: expected {expected}, got {got[:60]}")


_ROOT = {"tinsmith_plan", "capacity", "blocks", "leaves", "models", "together"}
_FACTS = {"arena", "bound", "status"}
_BLOCK = {"name", "size", "first_step", "last_step", "alignment", "offset"}
_LEAVE = {"output", "source", "at_most", "at_least", "exactly"}


def _csv_text(problem: Problem, offsets: Mapping[tuple[str, str], int]) -> str:
    (model,) = problem.models
    has_alignment = any(block.alignment > 1 for block in model.blocks)
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(["id", "lower", "upper", "size", *["alignment"] * has_alignment, "offset"])
    for block in model.blocks:
        fixed = [block.name, block.first_step, block.last_step + 1, block.size_bytes]
        aligned = [block.alignment] * has_alignment
        writer.writerow([*fixed, *aligned, offsets[model.name, block.name]])
    return file.getvalue()


def _json_text(
    problem: Problem, offsets: Mapping[tuple[str, str], int], facts: Mapping[str, object]
) -> str:
    models = [{"name": model.name, **_model_fields(model, offsets)} for model in problem.models]
    root: dict[str, object] = {"tinsmith_plan": VERSION, **facts}
    if problem.capacity_bytes is not None:
        root["capacity"] = problem.capacity_bytes
    if problem.is_joint:
        root["models"] = models
        root["together"] = [sorted(group) for group in problem.together]
    else:
        root |= {key: value for key, value in models[0].items() if key != "name"}
    return json.dumps(root, indent=1, ensure_ascii=False) + "\n"


def _model_fields(model: Model, offsets: Mapping[tuple[str, str], int]) -> dict[str, object]:
    return {
        "blocks": [
            {
                "name": block.name,
                "size": block.size_bytes,
                "first_step": block.first_step,
                "last_step": block.last_step,
                "alignment": block.alignment,
                "offset": offsets[model.name, block.name],
            }
            for block in model.blocks
        ],
        "leaves": [
            {
                "output": leave.output,
                "source": leave.source,
                "at_most": leave.at_most,
                "at_least": leave.at_least,
                "exactly": list(leave.exactly),
            }
            for leave in model.leaves
        ],
    }
