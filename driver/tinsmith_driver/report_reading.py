"""Reports as other commands wrote them: read, and held to report.schema.json."""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import cast

from tinsmith_ir import TinsmithError, UsageError
from tinsmith_ir.escape import visible

from tinsmith_driver.report import REPORT_SCHEMA, schema
from tinsmith_driver.report_types import Report

_TYPES: Mapping[str, type | tuple[type, ...]] = {
    "array": list,
    "boolean": bool,
    "integer": int,
    "null": type(None),
    "number": (int, float),
    "object": dict,
    "string": str,
}


class ReportFileError(TinsmithError):
    """A file that is no report, or one of another version: where in it, what was expected, what is there."""

    exit_status = 3


def read_report(path: Path) -> Report:
    """The report in a file, as `--json` writes it.

    Raises UsageError where it cannot be read, ReportFileError where it is no report of this version.
    """
    try:
        if path.is_dir():
            raise UsageError(
                f"{visible(str(path))}: expected a file with a report, such as the report.json in it, got a folder"
            )
        data = path.read_bytes()
    except OSError as error:
        raise UsageError(f"{visible(str(path))}: cannot be read: {error.strerror}") from error
    try:
        found: object = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise ReportFileError(
            f"{visible(str(path))}: expected a report as JSON, got {_instead(error)}"
        ) from error
    _check_version(path, found)
    rules = schema()
    definitions = cast(Mapping[str, Mapping[str, object]], rules["$defs"])
    for problem in violations(found, definitions["report"], definitions):
        raise ReportFileError(f"{visible(str(path))}: {visible(problem)}")
    return cast(Report, found)


def _instead(error: ValueError | RecursionError) -> str:
    """What a file is that is no JSON."""
    if isinstance(error, json.JSONDecodeError):
        place = f"line {error.lineno}, column {error.colno}"
        return f"text that is none from {place} on ({visible(error.msg)}); is the file whole?"
    if isinstance(error, UnicodeDecodeError):
        return "bytes that are no text"
    return visible(str(error))


def _check_version(path: Path, found: object) -> None:
    version = cast(Mapping[str, object], found).get("schema") if isinstance(found, dict) else None
    if version == REPORT_SCHEMA:
        return
    got = "none" if version is None else visible(json.dumps(version))
    raise ReportFileError(
        f'{visible(str(path))}: expected schema "{REPORT_SCHEMA}", got {got}: make the report anew, by the same '
        "version of Tinsmith as the other (verify --json)"
    )


def violations(
    value: object,
    rule: Mapping[str, object],
    definitions: Mapping[str, Mapping[str, object]],
    where: str = "report",
) -> Iterator[str]:
    """What of a value breaks a JSON Schema, as `report.ram.arena: expected ..., got ...`.

    Of JSON Schema what report.schema.json needs: $ref to `definitions`, anyOf, type, const, enum, minimum, maximum,
    pattern, items, properties, required, additionalProperties.
    """
    reference = rule.get("$ref")
    if isinstance(reference, str):
        yield from violations(
            value, definitions[reference.removeprefix("#/$defs/")], definitions, where
        )
    choices = cast(list[Mapping[str, object]], rule.get("anyOf", []))
    if choices:
        each = [[*violations(value, choice, definitions, where)] for choice in choices]
        if all(each):
            yield from max(each, key=lambda found: (_depth(found), -len(found)))
    yield from _own_violations(value, rule, where)
    if isinstance(value, dict):
        yield from _of_object(cast(dict[str, object], value), rule, definitions, where)
    if isinstance(value, list) and "items" in rule:
        items = cast(Mapping[str, object], rule["items"])
        for index, item in enumerate(cast(list[object], value)):
            yield from violations(item, items, definitions, f"{where}[{index}]")


def _depth(found: list[str]) -> int:
    """How far inside the first violation is: the choice that was meant is the one that fails late."""
    place = found[0].partition(":")[0]
    return place.count(".") + place.count("[")


def _own_violations(value: object, rule: Mapping[str, object], where: str) -> Iterator[str]:
    names = rule.get("type", [])
    types = [names] if isinstance(names, str) else cast(list[str], names)
    got = f"got {json.dumps(value)[:60]}"
    if types and not any(_is_of(value, name) for name in types):
        yield f"{where}: expected {' or '.join(types)}, {got}"
        return
    if "const" in rule and value != rule["const"]:
        yield f"{where}: expected {json.dumps(rule['const'])}, {got}"
    if "enum" in rule and value not in cast(list[object], rule["enum"]):
        yield f"{where}: expected one of {json.dumps(rule['enum'])}, {got}"
    if isinstance(value, int | float) and not isinstance(value, bool):
        low, high = cast(float, rule.get("minimum", value)), cast(float, rule.get("maximum", value))
        if not low <= value <= high:
            yield f"{where}: expected a number within its bounds, {got}"
    pattern = rule.get("pattern")
    if isinstance(pattern, str) and isinstance(value, str) and not re.search(pattern, value):
        yield f"{where}: expected text that matches {pattern}, {got}"


def _is_of(value: object, name: str) -> bool:
    is_number = name in ("integer", "number")
    return isinstance(value, _TYPES[name]) and not (is_number and isinstance(value, bool))


def _of_object(
    value: Mapping[str, object],
    rule: Mapping[str, object],
    definitions: Mapping[str, Mapping[str, object]],
    where: str,
) -> Iterator[str]:
    known = cast(Mapping[str, Mapping[str, object]], rule.get("properties", {}))
    for name in cast(list[str], rule.get("required", [])):
        if name not in value:
            yield f"{where}.{name}: expected a value, got none"
    others = rule.get("additionalProperties", True)
    for name, inner in value.items():
        if name in known:
            yield from violations(inner, known[name], definitions, f"{where}.{name}")
        elif others is False:
            yield f"{where}.{name}: expected no such value, got one"
        elif isinstance(others, dict):
            rules = cast(Mapping[str, object], others)
            yield from violations(inner, rules, definitions, f"{where}.{name}")
