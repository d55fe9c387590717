"""Programs of int8 that read and write parts of buffers, written as `y[0:8] = x[0:8]`, and such at random."""

import random
import re
from collections.abc import Sequence

from tinsmith_ir.dtypes import DType
from tinsmith_ir.expressions import Expression
from tinsmith_ir.operators import Add, Relu
from tinsmith_ir.program import Buffer, Call, Copy, Memory, Overlap, Program, Step, View
from tinsmith_ir.types import Quantization, TensorType

_PART = re.compile(r"(\w+)\[(\d+):(\d+)\]")


def program(sizes: dict[str, int], steps: Sequence[str], *, alignment: int = 1) -> Program:
    """sizes: of buffers in bytes; `x` is the input, `y` the output.

    A step is `y[0:8] = x[0:8]` (a relu), `... = x[0:8] + z[0:8]` (a sum), or `... <- x[0:8]` (a copy); with `over`
    behind, its result may lie over its operands up to distance 0.
    """
    views = {name: View(name, _bytes(size), name) for name, size in sizes.items()}
    made: list[Step] = []
    for index, step in enumerate(steps):
        names: list[str] = []
        for buffer, begin, end in _PART.findall(step):
            name = f"{buffer}.{begin}.{end}"
            views[name] = View(name, _bytes(int(end) - int(begin)), buffer, Expression(int(begin)))
            names.append(name)
        result, *operands = names
        if "<-" in step:
            made.append(Copy(operands[0], result))
            continue
        operator = Add() if len(operands) == 2 else Relu()
        count = len(operands) if step.endswith("over") else 0
        over = tuple(Overlap(operand, 0) for operand in range(count))
        made.append(Call(f"c{index}", "k", operator, tuple(operands), (result,), over=over))
    buffers = tuple(Buffer(name, size, "ram") for name, size in sizes.items())
    memory = Memory("ram", None, alignment)
    return Program(
        "rows", "host", (memory,), buffers, tuple(views.values()), (), tuple(made), ("x",), ("y",)
    )


def _bytes(size: int) -> TensorType:
    return TensorType((size,), DType.INT8, Quantization.per_tensor(0.5, 3))


def random_rows(seed: int, row: int, rows: int, *, alignment: int = 1) -> Program:
    """Rows of x to rows of y; by way of nothing, or of h: a row, or a tensor that is written before y or beside it.

    Mostly upwards, but also downwards or in any order; each row from one part or two of what it is made from.
    """
    generator = random.Random(seed)
    way = generator.choice(["none", "none", "row", "whole", "beside"])
    order = [*range(rows)]
    if way != "beside" and generator.random() < 0.5:
        generator.choice([order.reverse, lambda: generator.shuffle(order)])()
    sizes = {"x": row * (rows + generator.randrange(3)) + generator.randrange(row), "y": row * rows}
    if way != "none":
        sizes["h"] = row if way == "row" else row * (rows + 1)
    steps: list[str] = []

    def make(result: str, index: int, source: str, source_bytes: int) -> None:
        """A row of a buffer, from what is there of another."""

        def part() -> str:
            last = source_bytes - row
            at = index * row if generator.random() < 0.7 else generator.randint(0, last)
            return f"{source}[{min(at, last)}:{min(at, last) + row}]"

        kind = generator.choice(
            ["= {0} + {1}", "= {0} + {1} over", "= {0}", "= {0} over", "<- {0}"]
        )
        written = f"{result}[{index * row}:{(index + 1) * row}]"
        steps.append(f"{written} {kind.format(part(), part())}")

    if way == "whole":
        for index in range(rows + 1):
            make("h", index, "x", sizes["x"])
    if way == "beside":
        make("h", 0, "x", sizes["x"])
    for index in order:
        if way == "none":
            make("y", index, "x", sizes["x"])
            continue
        if way == "row":
            make("h", 0, "x", sizes["x"])
        if way == "beside":
            make("h", index + 1, "x", sizes["x"])
        make("y", index, "h", sizes["h"] if way != "beside" else (index + 2) * row)
    return program(sizes, steps, alignment=alignment)
