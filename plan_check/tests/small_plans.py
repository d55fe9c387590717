"""Plans small enough to be read, for tests to break one claim of."""

from typing import Any

Json = dict[str, Any]


def access(buffer: str, tensor: str, size: int, start: int = 0, byte: int = 0) -> Json:
    """`size` bytes of a buffer from `start` on, which hold those of a tensor from `byte` on."""
    return {
        "view": f"{buffer}.{start}.{size}",
        "buffer": buffer,
        "runs": [[start, size, size, 1]],
        "pieces": [[tensor, byte, size]],
    }


def call(name: str, reads: list[Json], writes: list[Json]) -> Json:
    return {
        "name": name,
        "kind": "call",
        "kernel": f"{name}_s8",
        "engine": None,
        "reads": reads,
        "writes": writes,
        "scratch": None,
        "order": [],
        "ends": [],
    }


def copy(read: Json, write: Json) -> Json:
    return call("copy", [read], [write]) | {"kind": "copy", "kernel": ""}


def buffer(name: str, offset: int, size: int, *lives: list[int]) -> Json:
    return {
        "name": name,
        "memory": "arena",
        "offset": offset,
        "bytes": size,
        "is_scratch": False,
        "lives": [*lives],
    }


def plan(buffers: list[Json], steps: list[Json], output: Json, bound: int) -> Json:
    """Of a network with the input x, whose memory is `arena`; tensors and views are those that steps name."""
    given = access("x", "given/x", next(b["bytes"] for b in buffers if b["name"] == "x"))
    scratch = [step["scratch"] for step in steps if step["scratch"] is not None]
    accesses = [a for step in steps for a in (*step["reads"], *step["writes"])]
    accesses += [given, output, *scratch]
    sizes: dict[str, int] = {}
    for found in accesses:
        for tensor, byte, length in found["pieces"]:
            sizes[tensor] = max(sizes.get(tensor, 0), byte + length)
    views = {found["view"]: found for found in accesses}
    size = max(b["offset"] + b["bytes"] for b in buffers)
    return {
        "schema": "tinsmith.plan/1",
        "tinsmith": "0.1.0",
        "model": {"name": "m", "sha256": "00"},
        "target": "host",
        "memories": [
            {
                "name": "arena",
                "alignment": 4,
                "home": "",
                "budget": size,
                "is_caller": False,
                "bytes": size,
                "bound": bound,
                "searched_bound": bound,
                "status": "optimal" if bound == size else "feasible",
                "gap": round(1 - bound / size, 6),
            }
        ],
        "buffers": buffers,
        "engines": [],
        "tensors": [
            {"name": name, "bytes": length, "is_constant": name.startswith("constant/")}
            for name, length in sizes.items()
        ],
        "views": [
            {
                "name": name,
                "buffer": found["buffer"],
                "shape": [sum(length * count for _, length, _, count in found["runs"])],
                "element_bytes": 1,
            }
            for name, found in views.items()
        ],
        "leaves": [],
        "steps": steps,
        "walks": [],
        "given": [given],
        "taken": [output],
        "loops": [],
        "cuts": [],
        "patches": [],
    }


def two_calls() -> Json:
    """x -> y -> z: z lies where x was."""
    return plan(
        [buffer("x", 0, 8, [-1, 0]), buffer("y", 8, 8, [0, 1]), buffer("z", 0, 8, [1, 2])],
        [
            call("first", [access("x", "given/x", 8)], [access("y", "made/y", 8)]),
            call("second", [access("y", "made/y", 8)], [access("z", "made/z", 8)]),
        ],
        access("z", "made/z", 8),
        bound=16,
    )


def sliding() -> Json:
    """y trails x by one element: element i of y is made of elements i and i + 1 of x, 4 bytes each."""
    made = call("slide", [access("x", "given/x", 16)], [access("y", "made/y", 12)])
    made["order"] = [[0, 0]]
    found = plan(
        [buffer("x", 0, 16, [-1, 0]), buffer("y", 0, 12, [0, 1])],
        [made],
        access("y", "made/y", 12),
        bound=16,
    )
    # The second element of x is read last for the second of y, the last two for the third.
    found["walks"] = [{"written": [[0, 1, 3, 1]], "read": [[0, 1, 3, 1], [2, 0, 1, 1]]}]
    found["leaves"] = [
        {"output": "y", "source": "x", "at_most": 0, "at_least": None, "exactly": []}
    ]
    return found


def window() -> Json:
    """Rows of 4 bytes: y, of which two lines are kept, is made row by row of x, and each row of z of two rows of y."""
    whole = [access("x", "given/x", 4, 4 * row, 4 * row) for row in range(3)]

    def lines(row: int) -> Json:
        return access("y", "made/y", 4, 4, 4 * row)

    move = copy(access("y", "made/y", 4, 4, 0), access("y", "made/y", 4, 0, 0))
    again = copy(access("y", "made/y", 4, 4, 4), access("y", "made/y", 4, 0, 4))
    steps = [
        call("y.1", [whole[0]], [lines(0)]),
        move,
        call("y.2", [whole[1]], [lines(1)]),
        call("z.1", [access("y", "made/y", 8, 0, 0)], [access("z", "made/z", 4, 0, 0)]),
        again,
        call("y.3", [whole[2]], [lines(2)]),
        call("z.2", [access("y", "made/y", 8, 0, 4)], [access("z", "made/z", 4, 4, 4)]),
    ]
    found = plan(
        [buffer("x", 0, 12, [-1, 5]), buffer("y", 12, 8, [0, 6]), buffer("z", 20, 8, [3, 7])],
        steps,
        access("z", "made/z", 8),
        bound=28,
    )
    found["cuts"] = [
        {
            "layer": "y",
            "tensor": "made/y",
            "start": 0,
            "rows": 3,
            "row_bytes": 4,
            "window": 2,
            "parts": [[0, 0, 1], [2, 1, 2], [5, 2, 3]],
            "reads": [_rows("given/x", 3, 1)],
        },
        {
            "layer": "z",
            "tensor": "made/z",
            "start": 0,
            "rows": 2,
            "row_bytes": 4,
            "window": None,
            "parts": [[3, 0, 1], [6, 1, 2]],
            "reads": [_rows("made/y", 2, 2)],
        },
    ]
    return found


def patches() -> Json:
    """Columns: each of the 2 elements of z is made of 2 of the 3 of y, and these, of which the middle one is made
    twice, of those of x.
    """
    steps: list[Json] = []
    for at in range(2):
        held = access("y", "made/y", 8, 0, 8 * at)
        steps.append(call(f"y.{at}", [access("x", "given/x", 8, 4 * at, 4 * at)], [held]))
        steps.append(call(f"z.{at}", [held], [access("z", "made/z", 4, 4 * at, 4 * at)]))
    found = plan(
        [
            buffer("x", 0, 12, [-1, 2]),
            buffer("y", 12, 8, [0, 1], [2, 3]),
            buffer("z", 20, 8, [1, 4]),
        ],
        steps,
        access("z", "made/z", 8),
        bound=28,
    )
    next(tensor for tensor in found["tensors"] if tensor["name"] == "made/y")["bytes"] = 16
    found["patches"] = [
        _patched("y", "", 3, [(0, 0, 2, 0, 2), (2, 1, 3, 1, 3)], ("", "given/x", 3)),
        _patched("z", "made/z", 2, [(1, 0, 1, 0, 2), (3, 1, 2, 1, 3)], ("y", "", 3)),
    ]
    return found


def sums() -> Json:
    """The sum of the 3 elements of x, of 4 bytes each, in 2 parts, in y."""
    first, second = access("y", "made/y", 4, 0, 0), access("y", "made/y", 4, 0, 4)
    adds = call("y.1", [access("x", "given/x", 4, 8, 8), first], [second])
    adds["order"] = [[1, 0]]
    found = plan(
        [buffer("x", 0, 12, [-1, 1]), buffer("y", 12, 4, [0, 2])],
        [call("y.0", [access("x", "given/x", 8)], [first]), adds],
        second,
        bound=16,
    )
    found["walks"] = [{"written": [[0, 1, 1, 1]], "read": [[0, 1, 1, 1]]}]
    made = _patched("y", "", 1, [(0, 0, 1, 0, 2), (1, 0, 1, 2, 3)], ("", "given/x", 3))
    own = {"layer": "y", "tensor": "", "start": 0, "shape": [1, 1], "element_bytes": 4}
    made |= {"is_sum": True, "reads": [*made["reads"], own]}
    made["parts"][0]["needs"].append([])
    made["parts"][1]["needs"].append([[0, 1], [0, 1]])
    found["patches"] = [made]
    return found


def _patched(
    layer: str,
    tensor: str,
    columns: int,
    parts: list[tuple[int, int, int, int, int]],
    read: tuple[str, str, int],
) -> Json:
    return {
        "layer": layer,
        "tensor": tensor,
        "start": 0,
        "shape": [1, columns],
        "element_bytes": 4,
        "window": None,
        "is_sum": False,
        "parts": [
            {"step": step, "box": [[0, 1], [begin, end]], "needs": [[[0, 1], [first, last]]]}
            for step, begin, end, first, last in parts
        ],
        "reads": [
            {
                "layer": read[0],
                "tensor": read[1],
                "start": 0,
                "shape": [1, read[2]],
                "element_bytes": 4,
            }
        ],
    }


def _rows(tensor: str, rows: int, taps: int) -> Json:
    return {
        "tensor": tensor,
        "start": 0,
        "row_bytes": 4,
        "begins": [[0, 1, rows, 1]],
        "ends": [[taps, 1, rows, 1]],
    }


def beside_the_core() -> Json:
    """An engine copies x to y, which a call reads when it has been waited for."""
    started = copy(access("x", "given/x", 8), access("y", "given/x", 8)) | {"engine": "dma"}
    wait = call("wait", [], []) | {"kind": "wait", "kernel": "", "ends": [0]}
    found = plan(
        [buffer("x", 0, 8, [-1, 1]), buffer("y", 8, 8, [0, 2]), buffer("z", 16, 8, [2, 3])],
        [started, wait, call("use", [access("y", "given/x", 8)], [access("z", "made/z", 8)])],
        access("z", "made/z", 8),
        bound=16,
    )
    found["engines"] = [{"name": "dma", "is_fifo": True}]
    return found
