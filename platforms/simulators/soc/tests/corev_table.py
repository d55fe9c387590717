"""Every CORE-V instruction with its operands: the 320 rows of CV32E40P's manual, in LLVM's spelling.

Operands: `d s t` registers; `!` rd is read, too; `number:LOW:HIGH` a number in that range; `target` a branch's.
"""

from dataclasses import dataclass

_SIGNED6 = "number:-32:31"
_UNSIGNED6 = "number:0:63"
_NUMBER5 = "number:0:31"
_NUMBER12 = "number:-2048:2047"


@dataclass(frozen=True)
class Row:
    """name: the mnemonic. operands: in the order of the text. form: how the text is put together."""

    name: str
    operands: tuple[str, ...]
    form: str = ""  # by default all operands between commas
    reads_rd: bool = False


def _lanes() -> list[Row]:
    signed = [
        "add",
        "sub",
        "avg",
        "min",
        "max",
        "or",
        "xor",
        "and",
        "cmpeq",
        "cmpne",
        "cmpgt",
        "cmpge",
        "cmplt",
        "cmple",
        "dotusp",
        "dotsp",
    ]
    unsigned = ["avgu", "minu", "maxu", "cmpgtu", "cmpgeu", "cmpltu", "cmpleu", "dotup"]
    accumulating = {"sdotup": _UNSIGNED6, "sdotusp": _SIGNED6, "sdotsp": _SIGNED6}
    numbers = dict.fromkeys(signed, _SIGNED6) | dict.fromkeys(unsigned, _UNSIGNED6)
    rows: list[Row] = []
    for name, number in (numbers | accumulating).items():
        for lane in "hb":
            for form, second in (("", "t"), (".sc", "t"), (".sci", number)):
                rows.append(
                    Row(f"cv.{name}{form}.{lane}", ("d", "s", second), "", name in accumulating)
                )
    for name in ("srl", "sra", "sll"):
        for lane, most in (("h", 15), ("b", 7)):
            for form, second in (("", "t"), (".sc", "t"), (".sci", f"number:0:{most}")):
                rows.append(Row(f"cv.{name}{form}.{lane}", ("d", "s", second)))
    return rows


def _permutations() -> list[Row]:
    rows = [Row(f"cv.abs.{lane}", ("d", "s")) for lane in "hb"]
    for lane, most in (("h", 1), ("b", 3)):
        number = f"number:0:{most}"
        rows += [Row(f"cv.{name}.{lane}", ("d", "s", number)) for name in ("extract", "extractu")]
        rows.append(Row(f"cv.insert.{lane}", ("d", "s", number), "", True))
        rows.append(Row(f"cv.shuffle.{lane}", ("d", "s", "t")))
        rows.append(Row(f"cv.shuffle2.{lane}", ("d", "s", "t"), "", True))
    rows.append(Row("cv.shuffle.sci.h", ("d", "s", "number:0:3")))
    rows += [Row(f"cv.shufflei{byte}.sci.b", ("d", "s", _UNSIGNED6)) for byte in range(4)]
    rows += [Row(f"cv.pack{suffix}", ("d", "s", "t")) for suffix in ("", ".h")]
    rows += [Row(f"cv.pack{half}.b", ("d", "s", "t"), "", True) for half in ("lo", "hi")]
    return rows


def _complex() -> list[Row]:
    divisions = ("", ".div2", ".div4", ".div8")
    rows = [Row("cv.cplxconj", ("d", "s"))]
    for division in divisions:
        rows += [Row(f"cv.cplxmul.{part}{division}", ("d", "s", "t"), "", True) for part in "ri"]
        rows.append(Row(f"cv.subrotmj{division}", ("d", "s", "t")))
    for name in ("add", "sub"):
        rows += [Row(f"cv.{name}{division}", ("d", "s", "t")) for division in divisions[1:]]
    return rows


def _arithmetic() -> list[Row]:
    rows = [Row(f"cv.{name}", ("d", "s")) for name in ("abs", "exths", "exthz", "extbs", "extbz")]
    binary = ("sle", "sleu", "min", "minu", "max", "maxu", "clipr", "clipur")
    rows += [Row(f"cv.{name}", ("d", "s", "t")) for name in binary]
    rows += [Row(f"cv.{name}", ("d", "s", _NUMBER5)) for name in ("clip", "clipu")]
    for name in ("add", "sub"):
        for suffix in ("n", "un", "rn", "urn"):
            rows.append(Row(f"cv.{name}{suffix}", ("d", "s", "t", _NUMBER5)))
            rows.append(Row(f"cv.{name}{suffix}r", ("d", "s", "t"), "", True))
    return rows


def _multiplications() -> list[Row]:
    rows = [Row(f"cv.{name}", ("d", "s", "t"), "", True) for name in ("mac", "msu")]
    for operation in ("mul", "mac"):
        for half in ("", "hh"):
            for sign in "su":
                for rounding in ("n", "rn"):
                    name = f"cv.{operation}{half}{sign}{rounding}"
                    rows.append(Row(name, ("d", "s", "t", _NUMBER5), "", operation == "mac"))
    return rows


def _bits() -> list[Row]:
    rows = [Row(f"cv.{name}", ("d", "s")) for name in ("ff1", "fl1", "clb", "cnt")]
    rows.append(Row("cv.ror", ("d", "s", "t")))
    for name in ("extract", "extractu", "insert", "bclr", "bset"):
        rows.append(Row(f"cv.{name}", ("d", "s", _NUMBER5, _NUMBER5), "", name == "insert"))
        rows.append(Row(f"cv.{name}r", ("d", "s", "t"), "", name == "insert"))
    rows.append(Row("cv.bitrev", ("d", "s", "number:0:2", _NUMBER5)))
    return rows


def _memory() -> list[Row]:
    rows: list[Row] = []
    for name in ("lb", "lh", "lw", "lbu", "lhu"):
        rows.append(Row(f"cv.{name}", ("d", "s", _NUMBER12), "{0}, ({1}), {2}"))
        rows.append(Row(f"cv.{name}", ("d", "s", "t"), "{0}, ({1}), {2}"))
        rows.append(Row(f"cv.{name}", ("d", "s", "t"), "{0}, {2}({1})"))
    for name in ("sb", "sh", "sw"):
        rows.append(Row(f"cv.{name}", ("t", "s", _NUMBER12), "{0}, ({1}), {2}"))
        rows.append(Row(f"cv.{name}", ("t", "s", "d"), "{0}, ({1}), {2}"))
        rows.append(Row(f"cv.{name}", ("t", "s", "d"), "{0}, {2}({1})"))
    return rows


def _branches() -> list[Row]:
    return [Row(f"cv.{name}", ("s", "number:-16:15", "target")) for name in ("beqimm", "bneimm")]


_EXTENSIONS = {
    "xcvsimd": _lanes() + _permutations() + _complex(),
    "xcvalu": _arithmetic(),
    "xcvmac": _multiplications(),
    "xcvbitmanip": _bits(),
    "xcvmem": _memory(),
    "xcvelw": [Row("cv.elw", ("d", _NUMBER12, "s"), "{0}, {1}({2})")],
    "xcvbi": _branches(),
}

# What LLVM's assembler knows; it has no hardware loops.
ROWS: tuple[Row, ...] = tuple(row for rows in _EXTENSIONS.values() for row in rows)


@dataclass(frozen=True)
class LoopRow:
    """A hardware-loop instruction: its operands `L`, `s`, `upper` (31:20) and `lower` (19:15)."""

    name: str
    operation: int
    operands: tuple[str, ...]

    def encode(self, loop: int, register: int, upper: int, lower: int) -> int:
        """Opcode 0x2B with funct3 4; bits 11:8 the operation, bit 7 the loop."""
        middle = lower if "lower" in self.operands else register
        top = upper if "upper" in self.operands else 0
        if "lower" not in self.operands and "s" not in self.operands:
            middle = 0
        return top << 20 | middle << 15 | 4 << 12 | self.operation << 8 | loop << 7 | 0x2B


LOOP_ROWS: tuple[LoopRow, ...] = (
    LoopRow("cv.starti", 0, ("L", "upper")),
    LoopRow("cv.start", 1, ("L", "s")),
    LoopRow("cv.endi", 2, ("L", "upper")),
    LoopRow("cv.end", 3, ("L", "s")),
    LoopRow("cv.counti", 4, ("L", "upper")),
    LoopRow("cv.count", 5, ("L", "s")),
    LoopRow("cv.setupi", 6, ("L", "upper", "lower")),
    LoopRow("cv.setup", 7, ("L", "s", "upper")),
)


def extension_of(row: Row | LoopRow) -> str:
    """The extension of the instruction set that `row` belongs to, as in -march."""
    if isinstance(row, LoopRow):
        return "xcvhwlp"
    return next(name for name, rows in _EXTENSIONS.items() if row in rows)
