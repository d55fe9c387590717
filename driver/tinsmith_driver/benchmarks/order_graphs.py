"""Networks whose order of execution is hard to choose, as Programs for passes that choose orders: nobody runs them.

Cells of NASNet (Zoph et al. 2018) and DARTS (Liu et al. 2019), randomly wired ones (Xie et al. 2019; as Watts and
Strogatz make graphs), U-Nets (Ronneberger et al. 2015), blocks of Inception (Szegedy et al. 2015), DenseNet (Huang et
al. 2017) and ResNet (He et al. 2016), series-parallel graphs, and networks without any structure. What is random in
them follows from a seed.
"""

import random
from collections.abc import Callable, Mapping, Sequence

from tinsmith_ir import DType, TensorType
from tinsmith_ir.operators import Concat
from tinsmith_ir.program import Buffer, Call, Memory, Program, View


class _Maker:
    """A network under construction; tensors are named by the calls that make them."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.sizes = {"x": 64}
        self._calls: list[Call] = []
        self._read: set[str] = set()

    @property
    def count(self) -> int:
        return len(self._calls)

    def add(self, size_bytes: int, *operands: str) -> str:
        """A call, and its result; what it computes is of no account."""
        name = f"t{self.count}"
        self.sizes[name] = size_bytes
        self._calls.append(Call(name, "none", Concat(axis=0), operands, (name,)))
        self._read.update(operands)
        return name

    def chain(self, count: int, size_bytes: int, source: str) -> str:
        """Some calls in a row, all results of one size."""
        for _ in range(count):
            source = self.add(size_bytes, source)
        return source

    def program(self) -> Program:
        """What nobody reads is an output."""
        return Program(
            "network",
            "host",
            (Memory("arena", alignment=1),),
            tuple(Buffer(name, size, "arena") for name, size in self.sizes.items()),
            tuple(
                View(name, TensorType((size,), DType.INT8), name)
                for name, size in self.sizes.items()
            ),
            (),
            tuple(self._calls),
            ("x",),
            tuple(name for name in self.sizes if name not in self._read and name != "x"),
        )


def series_parallel(operators: int, seed: int) -> Program:
    """Nested at random; sizes up to 100."""
    made = _Maker(seed)

    def build(count: int, source: str) -> str:
        if count <= 1:
            return made.add(made.random.randrange(1, 101), source)
        if count < 4 or made.random.random() < 0.5:
            first = made.random.randrange(1, count)
            return build(count - first, build(first, source))
        width = made.random.randrange(2, min(5, count - 2) + 1)
        cuts = sorted(made.random.sample(range(1, count - 1), width - 1))
        counts = [high - low for low, high in zip([0, *cuts], [*cuts, count - 1], strict=True)]
        branches = [build(part, source) for part in counts]
        return made.add(made.random.randrange(1, 101), *branches)

    build(operators, "x")
    return made.program()


def randomly_wired(operators: int, seed: int) -> Program:
    """Cells of 32 nodes, each wired to four neighbours in a ring at first, three quarters of the wires at random."""
    made, value, size = _Maker(seed), "x", 64
    while made.count < operators:
        size = max(8, size * made.random.choice([1, 1, 2]) // made.random.choice([1, 1, 2]))
        count = min(32, max(8, operators - made.count - 1))
        wires = _watts_strogatz(made.random, count)
        names: list[str] = []
        for node in range(count):
            operands = [names[tail] for tail, head in wires if head == node]
            names.append(made.add(size, *(operands or [value])))
        tails = {tail for tail, _ in wires}
        value = made.add(size, *(names[node] for node in range(count) if node not in tails))
    return made.program()


def _watts_strogatz(source: random.Random, count: int) -> list[tuple[int, int]]:
    """Wires from lower to higher nodes, in order."""
    found: set[tuple[int, int]] = set()
    for node in range(count):
        for step in (1, 2):
            other = (node + step) % count
            if source.random() < 0.75:
                free = [
                    end
                    for end in range(count)
                    if end != node and (min(node, end), max(node, end)) not in found
                ]
                other = source.choice(free)
            found.add((min(node, other), max(node, other)))
    return sorted(found)


def nasnet(operators: int, seed: int) -> Program:
    """Five sums in each cell, of up to two operators on any two earlier values; a quarter of the cells halve sizes."""
    made, size = _Maker(seed), 64
    before = last = made.add(size, "x")
    while made.count < operators:
        size = max(8, size // 2) if made.random.random() < 0.25 else size
        values = [made.add(size, last), made.add(size, before)]
        read: set[str] = set()
        for _ in range(5):
            chosen = [made.random.choice(values) for _ in range(2)]
            read.update(chosen)
            operands = [made.chain(made.random.randrange(3), size, value) for value in chosen]
            values.append(made.add(size, *operands))
        ends = [value for value in values[2:] if value not in read]
        before, last = last, made.add(size * len(ends), *ends)
    return made.program()


def darts(operators: int, seed: int) -> Program:
    """Four sums in each cell, of none to four operators on two earlier values each, joined at its end."""
    made, size = _Maker(seed), 64
    before = last = made.add(size, "x")
    while made.count < operators:
        size = max(8, size // 2) if made.random.random() < 0.25 else size
        values = [made.add(size, last), made.add(size, before)]
        for _ in range(4):
            chosen = made.random.sample(values, 2)
            operands = [
                made.chain(made.random.choice([0, 1, 2, 4]), size, value) for value in chosen
            ]
            values.append(made.add(size, *operands))
        before, last = last, made.add(size * 4, *values[2:])
    return made.program()


def unet(operators: int, seed: int) -> Program:
    """Four levels down and up, each read again on the way up."""
    made, depth, size = _Maker(seed), 4, 1024
    count = max(1, (operators - 3 * depth) // (2 * depth + 1))
    value, levels = "x", list[tuple[str, int]]()
    for _ in range(depth):
        value = made.chain(count, size, value)
        levels.append((value, size))
        value = made.add(size // 4, value)
        size //= 2
    value = made.chain(count, size, value)
    for level, size in reversed(levels):
        value = made.add(2 * size, made.add(size, value), level)
        value = made.chain(count, size, value)
    return made.program()


def inception(operators: int, seed: int) -> Program:
    """Five branches of up to four operators of sizes of their own, joined."""
    made, value, size = _Maker(seed), "x", 192
    while made.count < operators:
        branches: list[str] = []
        for length in (1, 2, 3, 2, made.random.randrange(1, 5)):
            branch = value
            for _ in range(length):
                branch = made.add(made.random.randrange(1, size // 2 + 2), branch)
            branches.append(branch)
        value = made.add(sum(made.sizes[branch] for branch in branches), *branches)
        if made.random.random() < 0.3:
            size = max(8, size // 2)
            value = made.add(size, value)
    return made.program()


def densenet(operators: int, seed: int) -> Program:
    """Blocks of up to 16 layers, each of which reads all before it, joined."""
    made, value = _Maker(seed), "x"
    while made.count < operators:
        growth = made.random.randrange(4, 33)
        features = [value]
        for _ in range(made.random.choice([4, 6, 12, 16])):
            joined = features[0]
            if len(features) > 1:
                joined = made.add(sum(made.sizes[one] for one in features), *features)
            features.append(made.add(growth, made.add(4 * growth, joined)))
        value = made.add(sum(made.sizes[one] for one in features) // 2, *features)
    return made.program()


def residual(operators: int, seed: int) -> Program:
    """Blocks with a sum at the end; some of them halve sizes, and have an operator beside."""
    made, value, size = _Maker(seed), "x", 64
    while made.count < operators:
        beside = value
        if made.random.random() < 0.15:
            size = max(4, size // 2)
            main = made.chain(2, size, value)
            beside = made.add(size, value)
        else:
            wide = made.add(made.random.choice([1, 2, 6]) * size, value)
            main = made.add(size, wide)
        value = made.add(size, main, beside)
    return made.program()


def unstructured(operators: int, seed: int) -> Program:
    """Up to three of the last 16 results as operands, sizes up to 100; most networks have many outputs."""
    made, values = _Maker(seed), ["x"]
    for _ in range(operators):
        recent = values[-16:]
        count = min(len(recent), made.random.choice([1, 1, 2, 3]))
        operands: Sequence[str] = made.random.sample(recent, count)
        values.append(made.add(made.random.randrange(1, 101), *operands))
    return made.program()


FAMILIES: Mapping[str, Callable[[int, int], Program]] = {
    "nasnet": nasnet,
    "darts": darts,
    "randomly-wired": randomly_wired,
    "unet": unet,
    "inception": inception,
    "densenet": densenet,
    "residual": residual,
    "series-parallel": series_parallel,
    "unstructured": unstructured,
}
