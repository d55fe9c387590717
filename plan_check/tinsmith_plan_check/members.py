"""The members of a JSON object, each asked for once and by its type."""

from collections.abc import Callable
from typing import TypeVar, cast

from tinsmith_plan_check.errors import PlanFileError

LARGEST = 1 << 53
"""JSON numbers beyond are not the same in every reader."""

_Item = TypeVar("_Item")


class Members:
    """An object of the file of which each member is asked for once, and none is left."""

    def __init__(self, value: object, where: str) -> None:
        if not isinstance(value, dict):
            raise PlanFileError(f"{where}: expected an object, got {kind_of(value)}")
        self._members = dict(cast("dict[str, object]", value))
        self._where = where

    def end(self) -> None:
        """Raise PlanFileError for a member that nobody asked for."""
        for name in self._members:
            raise PlanFileError(f"{self._where}: the member {name!r} is unknown")

    def text(self, name: str) -> str:
        """A string."""
        return checked(self._take(name), str, self._place(name))

    def optional_text(self, name: str) -> str | None:
        """A string or null."""
        value = self._take(name)
        return None if value is None else checked(value, str, self._place(name))

    def flag(self, name: str) -> bool:
        """True or false."""
        return checked(self._take(name), bool, self._place(name))

    def integer(self, name: str, least: int = 0) -> int:
        """An integer from `least` on."""
        return integer_in(self._take(name), self._place(name), least)

    def optionalinteger_in(self, name: str, least: int = 0) -> int | None:
        value = self._take(name)
        return None if value is None else integer_in(value, self._place(name), least)

    def share(self, name: str) -> float:
        """A number from 0 to 1."""
        value = self._take(name)
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
            raise PlanFileError(
                f"{self._place(name)}: expected a number from 0 to 1, got {value!r}"
            )
        return float(value)

    def integers(self, name: str, least: int = 0) -> tuple[int, ...]:
        """A list of integers from `least` on."""
        place = self._place(name)
        return tuple(integer_in(value, place, least) for value in list_in(self._take(name), place))

    def rows(self, name: str, width: int, least: int = 0) -> tuple[tuple[int, ...], ...]:
        """Lists of `width` integers."""
        place = self._place(name)
        found: list[tuple[int, ...]] = []
        for index, value in enumerate(list_in(self._take(name), place)):
            row = tuple(
                integer_in(item, f"{place}[{index}]", least)
                for item in list_in(value, f"{place}[{index}]")
            )
            if len(row) != width:
                raise PlanFileError(f"{place}[{index}]: expected {width} numbers, got {len(row)}")
            found.append(row)
        return tuple(found)

    def lists(self, name: str) -> tuple[tuple[str, list[object]], ...]:
        """Lists, each with its place."""
        place = self._place(name)
        return tuple(
            (f"{place}[{index}]", list_in(value, f"{place}[{index}]"))
            for index, value in enumerate(list_in(self._take(name), place))
        )

    def member(self, name: str) -> "Members":
        """An object."""
        return Members(self._take(name), self._place(name))

    def objects(self, name: str, read: Callable[["Members"], _Item]) -> tuple[_Item, ...]:
        """A list of objects, as `read` makes of each."""
        place = self._place(name)
        found: list[_Item] = []
        for index, value in enumerate(list_in(self._take(name), place)):
            member = Members(value, f"{place}[{index}]")
            found.append(read(member))
            member.end()
        return tuple(found)

    def optional_object(self, name: str, read: Callable[["Members"], _Item]) -> _Item | None:
        """An object, as `read` makes of it, or null."""
        value = self._take(name)
        if value is None:
            return None
        member = Members(value, self._place(name))
        found = read(member)
        member.end()
        return found

    def _take(self, name: str) -> object:
        if name not in self._members:
            raise PlanFileError(f"{self._where}: the member {name!r} is missing")
        return self._members.pop(name)

    def _place(self, name: str) -> str:
        return name if self._where == "the file" else f"{self._where}.{name}"


def checked(value: object, kind: type[_Item], where: str) -> _Item:
    """`value` if it is of that type; raises PlanFileError if not."""
    if not isinstance(value, kind):
        raise PlanFileError(f"{where}: expected {_NAMES[kind]}, got {kind_of(value)}")
    return value


_NAMES: dict[type, str] = {
    str: "a string",
    bool: "true or false",
    int: "an integer",
    float: "a fraction",
    list: "a list",
    dict: "an object",
}


def kind_of(value: object) -> str:
    """What messages call the type of a JSON value."""
    return "null" if value is None else _NAMES.get(type(value), type(value).__name__)


def list_in(value: object, where: str) -> list[object]:
    """`value` if it is a list; raises PlanFileError if not."""
    if not isinstance(value, list):
        raise PlanFileError(f"{where}: expected a list, got {kind_of(value)}")
    return cast("list[object]", value)


def integer_in(value: object, where: str, least: int) -> int:
    """`value` if it is an integer from `least` on; raises PlanFileError if not."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise PlanFileError(f"{where}: expected an integer, got {kind_of(value)}")
    if not least <= value <= LARGEST:
        raise PlanFileError(f"{where}: expected {least} to {LARGEST}, got {value}")
    return value
