"""Wrong arguments are refused at once."""

from typing import Any

import pytest
from tinsmith_ir import ArgumentError
from tinsmith_target import Counter, Memory, Qemu, SocSimulator, Target, target

HOST = target("host")
NONE: frozenset[str] = frozenset()


@pytest.mark.parametrize(
    ("make", "arguments", "message"),
    [
        (target, (None,), "target: expected name to be str"),
        (Memory, ("m", "0x0", 1, "ram"), "origin to be int"),
        (Memory, ("m", 0, 1, "rom"), "kind to be Literal"),
        (Counter, ("systick", 0, 0), "kind"),
        (Qemu, ("qemu", ["-M"], 0, Counter("minstret", 0, 0)), "arguments"),
        (SocSimulator, (1,), "chip to be str"),
        (Target, ("t", "", "cpu", frozenset({"neon"}), HOST.board, "reference"), "features"),
        (Target, ("t", "", "cpu", NONE, "board", "reference"), "board to be Board"),
    ],
)
def test_a_wrong_type_is_refused_at_once(make: Any, arguments: Any, message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        make(*arguments)
