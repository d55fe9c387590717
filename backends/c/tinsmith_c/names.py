"""C identifiers from the free names that models carry."""

import re
from dataclasses import dataclass, field

_LONGEST = 96  # C99 promises 63 significant characters, compilers in use keep all
_KEYWORDS = frozenset(
    [
        "auto",
        "break",
        "case",
        "char",
        "const",
        "continue",
        "default",
        "do",
        "double",
        "else",
        "enum",
        "extern",
        "float",
        "for",
        "goto",
        "if",
        "inline",
        "int",
        "long",
        "register",
        "restrict",
        "return",
        "short",
        "signed",
        "sizeof",
        "static",
        "struct",
        "switch",
        "typedef",
        "union",
        "unsigned",
        "void",
        "volatile",
        "while",
        "main",
        # Of C++, whose programs include the header, too.
        "bool",
        "catch",
        "class",
        "concept",
        "delete",
        "explicit",
        "export",
        "false",
        "friend",
        "mutable",
        "namespace",
        "new",
        "noexcept",
        "nullptr",
        "operator",
        "private",
        "protected",
        "public",
        "requires",
        "template",
        "this",
        "throw",
        "true",
        "try",
        "typename",
        "using",
        "virtual",
    ]
)

# Headers of C, of Arm, of the kernels and of the test harness: a `string.h` of ours would hide C's.
_HEADERS = frozenset(
    [
        "arm_acle",
        "arm_mve",
        "arm_nn_types",
        "arm_nnfunctions",
        "assert",
        "complex",
        "ctype",
        "errno",
        "float",
        "harness_model",
        "inttypes",
        "limits",
        "math",
        "setjmp",
        "shared_arena",
        "signal",
        "stdarg",
        "stdbool",
        "stddef",
        "stdint",
        "stdio",
        "stdlib",
        "string",
        "time",
        "tinsmith_harness",
        "tinsmith_nn",
        "tinsmith_nn_implementation",
        "wchar",
    ]
)


def is_header(name: str) -> bool:
    """Whether a file `name`.h would be taken for another, on file systems that fold case, too."""
    return name.lower() in _HEADERS


def c_identifier(name: str) -> str:
    """`name` with every run of characters that C does not know as one underscore; never empty, never
    a keyword, never beginning with a digit or an underscore.
    """
    text = re.sub(r"[^0-9A-Za-z]+", "_", name).strip("_")
    if not text or text[0].isdigit() or text in _KEYWORDS:
        text = f"n_{text}".rstrip("_")
    return text


def shortened(name: str, longest: int) -> str:
    """The end of a long name, which says more than its beginning (`model/block/conv1/kernel`)."""
    return name if len(name) <= longest else name[-longest:].lstrip("_0123456789") or "n"


@dataclass
class NameTable:
    """Gives each wish a name that nobody else has. numbers: the last that a wish was given."""

    taken: set[str] = field(default_factory=set[str])
    numbers: dict[str, int] = field(default_factory=dict[str, int])

    def unique(self, wish: str) -> str:
        """`wish`, or `wish_2`, `wish_3`, … if it is taken."""
        wish = wish[:_LONGEST]
        name, number = wish, self.numbers.get(wish, 1)
        while name in self.taken:
            number += 1
            suffix = f"_{number}"
            name = wish[: _LONGEST - len(suffix)] + suffix
        self.taken.add(name)
        self.numbers[wish] = number
        return name


def buffer_names(names: list[str], longest: int = 32) -> dict[str, str]:
    """A C identifier for each name, all different, in order; the same for the same list."""
    table = NameTable()
    return {name: table.unique(shortened(c_identifier(name), longest)) for name in names}
