"""Damaged variants of sound IR texts, the same on every run for the same seed."""

import re
from collections.abc import Callable, Iterator

import numpy as np

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[%@]?[\w.]+|\s+|.', re.DOTALL)
_EXTREMES = (
    "0", "-1", "1", "127", "-129", "65536", "2147483647", "2147483648", "-9223372036854775809",
    "99999999999999999999", "1e400", "-0.0", "1e-45", "nan", "inf", "none", '""', "%", "[]", "{}",
)  # fmt: skip
Random = np.random.RandomState
Tokens = list[str]


def _dropped(tokens: Tokens, random: Random) -> None:
    begin = random.randint(len(tokens))
    del tokens[begin : begin + random.randint(1, 6)]


def _repeated(tokens: Tokens, random: Random) -> None:
    begin = random.randint(len(tokens))
    tokens[begin:begin] = tokens[begin : begin + random.randint(1, 40)]


def _exchanged(tokens: Tokens, random: Random) -> None:
    one, other = random.randint(0, len(tokens), 2)
    tokens[one], tokens[other] = tokens[other], tokens[one]


def _taken(tokens: Tokens, random: Random) -> None:
    """A token becomes another of the text."""
    one, other = random.randint(0, len(tokens), 2)
    tokens[one] = tokens[other]


def _extreme(tokens: Tokens, random: Random) -> None:
    """A number becomes a limit of something."""
    numbers = [at for at, token in enumerate(tokens) if token[0].isdigit()]
    if numbers:
        at = numbers[random.randint(len(numbers))]
        tokens[at] = _EXTREMES[random.randint(len(_EXTREMES))]


def _near(tokens: Tokens, random: Random) -> None:
    """A whole number becomes one nearby, so that what is sound but for it is tried, too."""
    numbers = [at for at, token in enumerate(tokens) if token.isascii() and token.isdigit()]
    if numbers:
        at = numbers[random.randint(len(numbers))]
        tokens[at] = str(int(tokens[at]) + (1, 2, 4, 16, 64)[random.randint(5)])


def _cut(tokens: Tokens, random: Random) -> None:
    del tokens[random.randint(len(tokens)) :]


_DAMAGES: tuple[Callable[[Tokens, Random], None], ...] = (
    _cut,
    *(_dropped, _repeated, _exchanged, _taken, _extreme, _near, _near) * 2,
)


def damaged_texts(text: str, count: int, seed: int) -> Iterator[str]:
    """`count` variants of `text`, each damaged once or twice."""
    random = Random(seed)
    whole = _TOKEN.findall(text)
    for _ in range(count):
        tokens = [*whole]
        for _ in range(random.randint(1, 3)):
            if tokens:
                _DAMAGES[random.randint(len(_DAMAGES))](tokens, random)
        yield "".join(tokens)
