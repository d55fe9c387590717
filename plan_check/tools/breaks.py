"""Ways to break a plan. Each docstring says why what comes out cannot hold, whatever a checker thinks of it.

A break changes the JSON of a plan in place and says what it did; None if the plan has nothing of that kind.
"""

from collections.abc import Callable, Iterator
from random import Random
from typing import Any, TypeVar

Json = dict[str, Any]
Break = Callable[[Json, Random], str | None]

BREAKS: dict[str, Break] = {}
"""By name."""

_Item = TypeVar("_Item")


def _break(function: Break) -> Break:
    BREAKS[getattr(function, "__name__", "").replace("_", " ")] = function
    return function


def _any(random: Random, items: list[_Item]) -> _Item | None:
    return random.choice(items) if items else None


def _by_name(plan: Json, member: str) -> dict[str, Json]:
    return {item["name"]: item for item in plan[member]}


def _shared(one: Json, other: Json) -> bool:
    """Whether two buffers live in a common step, by the plan's own lives."""
    return any(
        first <= end and begin <= last
        for first, last in one["lives"]
        for begin, end in other["lives"]
    )


def _lie_over(one: Json, other: Json) -> bool:
    return (
        one["memory"] == other["memory"]
        and one["offset"] < other["offset"] + other["bytes"]
        and other["offset"] < one["offset"] + one["bytes"]
    )


def _leaves_of(plan: Json, one: Json, other: Json) -> list[Json]:
    names = {one["name"], other["name"]}
    return [leave for leave in plan["leaves"] if {leave["output"], leave["source"]} == names]


def _accesses(plan: Json) -> Iterator[Json]:
    yield from plan["given"]
    for step in plan["steps"]:
        yield from (*step["reads"], *step["writes"])
    yield from plan["taken"]


def _size(access: Json) -> int:
    return sum(length * count for _, length, _, count in access["runs"])


def _end(access: Json) -> int:
    return max(
        start + stride * (count - 1) + length for start, length, stride, count in access["runs"]
    )


def _made_by(plan: Json) -> dict[tuple[str, int], int]:
    """First byte of each piece that a step makes -> the step."""
    return {
        (piece[0], piece[1]): index
        for index, step in enumerate(plan["steps"])
        if step["kind"] == "call"
        for access in step["writes"]
        for piece in access["pieces"]
    }


def _dependences(plan: Json) -> list[tuple[int, int]]:
    """Steps of which the second reads what the first makes."""
    made = _made_by(plan)
    return [
        (made[piece[0], piece[1]], index)
        for index, step in enumerate(plan["steps"])
        if step["kind"] == "call"
        for access in step["reads"]
        for piece in access["pieces"]
        if (piece[0], piece[1]) in made
    ]


@_break
def offset_misaligned(plan: Json, random: Random) -> str | None:
    """One byte behind a multiple of an alignment above 1 is none."""
    aligned = {m["name"] for m in plan["memories"] if m["alignment"] > 1}
    found = _any(random, [b for b in plan["buffers"] if b["memory"] in aligned])
    if found is None:
        return None
    found["offset"] += 1
    return f"{found['name']} at {found['offset']}"


@_break
def offset_moved_onto_another(plan: Json, random: Random) -> str | None:
    """Two buffers live in a common step begin at one byte, and nothing says that they may."""
    pairs = [
        (one, other)
        for one in plan["buffers"]
        for other in plan["buffers"]
        if one["memory"] == other["memory"]
        and one["offset"] != other["offset"]
        and _shared(one, other)
        and not _leaves_of(plan, one, other)
    ]
    found = _any(random, pairs)
    if found is None:
        return None
    found[0]["offset"] = found[1]["offset"]
    return f"{found[0]['name']} to {found[1]['name']}"


@_break
def offset_moved_up(plan: Json, random: Random) -> str | None:
    """What lies highest lies higher than the arena is large."""
    memory = _any(random, [m for m in plan["memories"] if m["bytes"]])
    if memory is None:
        return None
    tops = [
        b
        for b in plan["buffers"]
        if b["memory"] == memory["name"] and b["offset"] + b["bytes"] == memory["bytes"]
    ]
    tops[0]["offset"] += memory["alignment"]
    return f"{tops[0]['name']} to {tops[0]['offset']}"


@_break
def scratch_moved_onto_an_operand(plan: Json, random: Random) -> str | None:
    """A kernel that writes its scratch over what it reads."""
    buffers = _by_name(plan, "buffers")
    pairs = [
        (buffers[step["scratch"]["buffer"]], buffers[access["buffer"]], access)
        for step in plan["steps"]
        if step["scratch"] is not None
        for access in step["reads"]
    ]
    pairs = [(s, b, access) for s, b, access in pairs if s["memory"] == b["memory"]]
    found = _any(random, pairs)
    if found is None:
        return None
    scratch, buffer, access = found
    alignment = _by_name(plan, "memories")[buffer["memory"]]["alignment"]
    scratch["offset"] = (buffer["offset"] + access["runs"][0][0]) // alignment * alignment
    touched = scratch["offset"] + scratch["bytes"] > buffer["offset"] + access["runs"][0][0]
    return f"{scratch['name']} onto {buffer['name']}" if touched else None


@_break
def buffer_made_smaller(plan: Json, random: Random) -> str | None:
    """A view reaches the byte that is gone."""
    buffers = _by_name(plan, "buffers")
    full = [a["buffer"] for a in _accesses(plan) if _end(a) == buffers[a["buffer"]]["bytes"] > 1]
    name = _any(random, full)
    if name is None:
        return None
    buffers[name]["bytes"] -= 1
    return name


@_break
def buffer_made_larger(plan: Json, random: Random) -> str | None:
    """It ends behind the arena."""
    found = random.choice(plan["buffers"])
    found["bytes"] += _by_name(plan, "memories")[found["memory"]]["bytes"]
    return found["name"]


@_break
def life_ends_early(plan: Json, random: Random) -> str | None:
    """In the last step of a life the buffer is touched; the plan says that it is not alive there."""
    found = _any(random, [b for b in plan["buffers"] if b["lives"][-1][0] < b["lives"][-1][1]])
    if found is None:
        return None
    found["lives"][-1][1] -= 1
    return found["name"]


@_break
def life_begins_late(plan: Json, random: Random) -> str | None:
    """In the first step of a life the buffer is written; the plan says that it is not alive there."""
    found = _any(random, [b for b in plan["buffers"] if b["lives"][0][0] < b["lives"][0][1]])
    if found is None:
        return None
    found["lives"][0][0] += 1
    return found["name"]


@_break
def life_left_out(plan: Json, random: Random) -> str | None:
    """A buffer that steps touch is said to be alive less often."""
    found = random.choice(plan["buffers"])
    del found["lives"][random.randrange(len(found["lives"]))]
    return found["name"]


@_break
def steps_swapped(plan: Json, random: Random) -> str | None:
    """What reads stands before what makes the bytes that it reads."""
    pair = _any(random, _dependences(plan))
    if pair is None:
        return None
    first, second = pair
    steps = plan["steps"]
    steps[first], steps[second] = steps[second], steps[first]
    return f"{first} and {second}"


@_break
def step_left_out(plan: Json, random: Random) -> str | None:
    """Nobody makes what a step reads."""
    pair = _any(random, _dependences(plan))
    if pair is None:
        return None
    plan["steps"][pair[0]]["writes"] = []
    plan["steps"][pair[0]]["order"] = []
    return str(pair[0])


@_break
def step_repeated(plan: Json, random: Random) -> str | None:
    """The bytes of a tensor are made once; the call makes them again."""
    index = _any(random, [i for i, s in enumerate(plan["steps"]) if s["kind"] == "call"])
    if index is None:
        return None
    plan["steps"].append(plan["steps"][index])
    return str(index)


def _witness(plan: Json, leave: Json) -> tuple[int, int] | None:
    """A byte of the output and one of the source that is read in a later step than the former is written in, all in the
    one life that each has.
    """
    buffers = _by_name(plan, "buffers")
    output, source = buffers[leave["output"]], buffers[leave["source"]]
    if len(output["lives"]) != 1 or len(source["lives"]) != 1:
        return None
    written = [
        (index, access["runs"][0][0])
        for index, step in enumerate(plan["steps"])
        for access in step["writes"]
        if access["buffer"] == output["name"]
    ]
    read = [
        (index, _end(access) - 1)
        for index, step in enumerate(plan["steps"])
        for access in step["reads"]
        if access["buffer"] == source["name"]
    ]
    if written and read and written[0][0] < read[-1][0]:
        return written[0][1], read[-1][1]
    if not (written and read) or written[0][0] != read[-1][0]:
        return None
    # One call alone: by the order in which it touches the bytes of both.
    step = plan["steps"][read[-1][0]]
    for operand, number in step["order"]:
        access, result = step["reads"][operand], step["writes"][0]
        if access["buffer"] != source["name"]:
            continue
        pieces, dies = (
            _unfolded(plan["walks"][number]["written"]),
            _unfolded(plan["walks"][number]["read"]),
        )
        first, last = pieces.index(min(pieces)), dies.index(max(dies))
        if pieces[first] < dies[last]:
            return (
                result["runs"][0][0] + first * (_size(result) // len(pieces)),
                access["runs"][0][0] + last * (_size(access) // len(dies)),
            )
    return None


def _unfolded(rows: list[list[int]]) -> list[int]:
    return [
        first + index * increment
        for first, increment, count, repeats in rows
        for index in range(count)
        for _ in range(repeats)
    ]


@_break
def leave_widened_upwards(plan: Json, random: Random) -> str | None:
    """At the greatest distance that it says, a byte is written before the one in its place has been read."""
    found = [(leave, _witness(plan, leave)) for leave in plan["leaves"]]
    wide = [
        (leave, pair[1] - pair[0])
        for leave, pair in found
        if pair is not None
        and not (leave["at_most"] is not None and leave["at_most"] >= pair[1] - pair[0])
    ]
    chosen = _any(random, wide)
    if chosen is None:
        return None
    chosen[0]["at_most"] = chosen[1]
    return f"{chosen[0]['output']} over {chosen[0]['source']} up to {chosen[1]}"


@_break
def leave_widened_downwards(plan: Json, random: Random) -> str | None:
    """At the least distance that it says, a byte is written before the one in its place has been read."""
    found = [(leave, _witness(plan, leave)) for leave in plan["leaves"]]
    wide = [(leave, pair[1] - pair[0]) for leave, pair in found if pair is not None]
    chosen = _any(random, wide)
    if chosen is None:
        return None
    chosen[0]["at_least"] = chosen[1]
    return f"{chosen[0]['output']} over {chosen[0]['source']} from {chosen[1]} on"


def _used_leaves(plan: Json) -> list[tuple[Json, int]]:
    """Those that two buffers lie by as they do, with the distance."""
    buffers = _by_name(plan, "buffers")
    return [
        (leave, buffers[leave["output"]]["offset"] - buffers[leave["source"]]["offset"])
        for leave in plan["leaves"]
        if _lie_over(buffers[leave["output"]], buffers[leave["source"]])
        and _shared(buffers[leave["output"]], buffers[leave["source"]])
        and len(_leaves_of(plan, buffers[leave["output"]], buffers[leave["source"]])) == 1
    ]


@_break
def leave_taken_away(plan: Json, random: Random) -> str | None:
    """Two buffers that live in a common step share bytes, and nothing says that they may."""
    found = _any(random, _used_leaves(plan))
    if found is None:
        return None
    plan["leaves"].remove(found[0])
    return f"{found[0]['output']} over {found[0]['source']}"


@_break
def leave_narrowed(plan: Json, random: Random) -> str | None:
    """The distance at which two buffers share bytes is none of those that the leave says."""
    found = _any(random, _used_leaves(plan))
    if found is None:
        return None
    leave, distance = found
    leave["at_most"], leave["at_least"], leave["exactly"] = distance - 1, None, []
    return f"{leave['output']} over {leave['source']} up to {distance - 1}"


def _overlapping(plan: Json) -> list[tuple[Json, int]]:
    """Calls whose dense result shares bytes with a dense operand, and which walk bears it."""
    buffers = _by_name(plan, "buffers")
    found: list[tuple[Json, int]] = []
    for step in plan["steps"]:
        for operand, walk in step["order"]:
            result, access = step["writes"][0], step["reads"][operand]
            here, there = buffers[result["buffer"]], buffers[access["buffer"]]
            begin = here["offset"] + result["runs"][0][0]
            first = there["offset"] + access["runs"][0][0]
            is_near = begin < first + _size(access) and first < begin + _size(result)
            if here["memory"] == there["memory"] and is_near:
                found.append((step, walk))
    return found


@_break
def walk_turned_round(plan: Json, random: Random) -> str | None:
    """A kernel that writes all before it reads all, over its operand."""
    found = _any(random, _overlapping(plan))
    if found is None:
        return None
    step, _ = found
    plan["walks"].append({"written": [[0, 0, 1, 1]], "read": [[1, 0, 1, 1]]})
    step["order"] = [[operand, len(plan["walks"]) - 1] for operand, _ in step["order"]]
    return step["name"]


@_break
def walk_taken_away(plan: Json, random: Random) -> str | None:
    """A result over an operand, of a kernel of which nothing says that it bears that."""
    found = _any(random, _overlapping(plan))
    if found is None:
        return None
    found[0]["order"] = []
    return found[0]["name"]


@_break
def view_moved(plan: Json, random: Random) -> str | None:
    """The bytes are one byte further on; in a buffer that no copy touches, each lies in one place alone."""
    copied = {
        access["buffer"]
        for step in plan["steps"]
        if step["kind"] == "copy"
        for access in (*step["reads"], *step["writes"])
    }
    bytes_of = {buffer["name"]: buffer["bytes"] for buffer in plan["buffers"]}
    found = [
        access
        for step in plan["steps"]
        for access in step["reads"]
        if access["buffer"] not in copied
        and bytes_of[access["buffer"]] > 1
        and not access["pieces"][0][0].startswith("constant/")
    ]
    access = _any(random, found)
    if access is None:
        return None
    access["runs"][0][0] += 1 if _end(access) < bytes_of[access["buffer"]] else -1
    if access["runs"][0][0] < 0:
        access["runs"][0][0] = 1  # behind the buffer's end, then
    return access["view"]


@_break
def view_reshaped(plan: Json, random: Random) -> str | None:
    """A tensor of one row more than the bytes that are touched."""
    found = _any(random, [view for view in plan["views"] if view["shape"]])
    if found is None:
        return None
    found["shape"][0] += 1
    return found["name"]


def _parts(plan: Json) -> list[tuple[Json, int]]:
    return [(cut, index) for cut in plan["cuts"] for index in range(len(cut["parts"]))]


@_break
def window_row_shifted(plan: Json, random: Random) -> str | None:
    """A part says that it reads the row behind the one that it reads; each byte holds one row's."""
    bytes_of = {tensor["name"]: tensor["bytes"] for tensor in plan["tensors"]}
    found: list[tuple[list[Any], int]] = []
    for cut, index in _parts(plan):
        for access in plan["steps"][cut["parts"][index][0]]["reads"]:
            for read in cut["reads"]:
                tensor, start, length = access["pieces"][0]
                rows = read["row_bytes"]
                if tensor == read["tensor"] and start + length + rows <= bytes_of[tensor]:
                    found.append((access["pieces"][0], rows))
    chosen = _any(random, found)
    if chosen is None:
        return None
    chosen[0][1] += chosen[1]
    return f"{chosen[0][0]} by {chosen[1]} bytes"


@_break
def rows_left_out(plan: Json, random: Random) -> str | None:
    """A row of the result that no part makes."""
    found = _any(random, _parts(plan))
    if found is None:
        return None
    cut, index = found
    del cut["parts"][index]
    return cut["layer"]


@_break
def rows_made_twice(plan: Json, random: Random) -> str | None:
    """A part claims a row of the part before, too."""
    found = _any(random, [(cut, index) for cut, index in _parts(plan) if index])
    if found is None:
        return None
    cut, index = found
    cut["parts"][index][1] -= 1
    return cut["layer"]


@_break
def rows_out_of_order(plan: Json, random: Random) -> str | None:
    """Two parts make each other's rows."""
    found = _any(random, [(cut, index) for cut, index in _parts(plan) if index])
    if found is None:
        return None
    cut, index = found
    one, other = cut["parts"][index - 1], cut["parts"][index]
    one[0], other[0] = other[0], one[0]
    return cut["layer"]


@_break
def rows_needed_that_are_not_read(plan: Json, random: Random) -> str | None:
    """A part needs one row more of an operand than any of its operands holds."""
    found: list[tuple[Json, Json]] = []
    for cut, index in _parts(plan):
        step, _, end = cut["parts"][index]
        for read in cut["reads"]:
            needed: int = _unfolded(read["ends"])[int(end) - 1]
            ends = [
                piece[1] + piece[2]
                for access in plan["steps"][step]["reads"]
                for piece in access["pieces"]
                if piece[0] == read["tensor"]
            ]
            if ends and max(ends) <= read["start"] + needed * read["row_bytes"]:
                found.append((cut, read))
    chosen = _any(random, found)
    if chosen is None:
        return None
    for row in chosen[1]["ends"]:
        row[0] += 1
    return chosen[0]["layer"]


def _patch_parts(plan: Json) -> list[tuple[Json, int]]:
    return [(layer, at) for layer in plan["patches"] for at in range(len(layer["parts"]))]


@_break
def patch_left_out(plan: Json, random: Random) -> str | None:
    """Elements of a result that is whole, which no part makes."""
    found = _any(random, [it for it in _patch_parts(plan) if it[0]["tensor"]])
    if found is None:
        return None
    layer, at = found
    del layer["parts"][at]
    if at == len(layer["parts"]) and layer["window"] is not None:
        return None  # nobody needs what is last
    return layer["layer"]


@_break
def rows_not_added(plan: Json, random: Random) -> str | None:
    """A sum that leaves out some of what it is of."""
    found = _any(random, [it for it in _patch_parts(plan) if it[0]["is_sum"]])
    if found is None:
        return None
    del found[0]["parts"][found[1]]
    return found[0]["layer"]


@_break
def patch_needs_others(plan: Json, random: Random) -> str | None:
    """A part needs elements beside those that it reads."""
    found: list[tuple[Json, list[int]]] = []
    for layer, at in _patch_parts(plan):
        for read, box in zip(layer["reads"], layer["parts"][at]["needs"], strict=True):
            ranges = zip(box, read["shape"], strict=False)
            found += [(layer, range_) for range_, size in ranges if range_[1] < size]
    chosen = _any(random, found)
    if chosen is None:
        return None
    chosen[1][0] += 1
    chosen[1][1] += 1
    return chosen[0]["layer"]


@_break
def patch_of_others(plan: Json, random: Random) -> str | None:
    """A part says that it makes elements beside those that it makes."""
    found = [
        (layer, range_)
        for layer, at in _patch_parts(plan)
        for range_, size in zip(layer["parts"][at]["box"], layer["shape"], strict=True)
        if range_[1] < size
    ]
    chosen = _any(random, found)
    if chosen is None:
        return None
    chosen[1][0] += 1
    chosen[1][1] += 1
    return chosen[0]["layer"]


@_break
def budget_below_the_arena(plan: Json, random: Random) -> str | None:
    """There is a byte less than the plan takes."""
    memory = _any(random, [m for m in plan["memories"] if not m["is_caller"] and m["bytes"]])
    if memory is None:
        return None
    there = [m for m in plan["memories"] if m["home"] == memory["home"] and not m["is_caller"]]
    memory["budget"] = sum(m["bytes"] for m in there) - 1
    return memory["name"]


@_break
def arena_said_smaller(plan: Json, random: Random) -> str | None:
    """The highest buffer ends behind it."""
    memory = _any(random, [m for m in plan["memories"] if m["bytes"]])
    if memory is None:
        return None
    memory["bytes"] -= 1
    return memory["name"]


@_break
def arena_said_larger(plan: Json, random: Random) -> str | None:
    """No buffer ends where it does."""
    memory = random.choice(plan["memories"])
    memory["bytes"] += memory["alignment"]
    return memory["name"]


@_break
def bound_raised(plan: Json, random: Random) -> str | None:
    """The plan takes less than what no plan is said to go below."""
    memory = random.choice(plan["memories"])
    memory["bound"] = memory["searched_bound"] = memory["bytes"] + 1
    return memory["name"]


@_break
def status_changed(plan: Json, random: Random) -> str | None:
    """The size and the bounds, which stay, say the other thing."""
    memory = random.choice(plan["memories"])
    memory["status"] = "feasible" if memory["status"] == "optimal" else "optimal"
    return memory["name"]


@_break
def gap_changed(plan: Json, random: Random) -> str | None:
    """The size and the bounds, which stay, say another gap."""
    memory = random.choice(plan["memories"])
    memory["gap"] = 0.5 if memory["gap"] < 0.4 else 0.0
    return memory["name"]


@_break
def memory_changed(plan: Json, random: Random) -> str | None:
    """There is no memory of that name."""
    found = random.choice(plan["buffers"])
    found["memory"] += " of another"
    return found["name"]


def _removed(plan: Json, random: Random, member: str) -> str | None:
    found = _any(random, plan[member])
    if found is None:
        return None
    plan[member].remove(found)
    return found["name"]


@_break
def buffer_missing(plan: Json, random: Random) -> str | None:
    """Each buffer of a plan is touched, so something names one that is not there."""
    return _removed(plan, random, "buffers")


@_break
def view_missing(plan: Json, random: Random) -> str | None:
    """Each view of a plan is touched, so something names one that is not there."""
    return _removed(plan, random, "views")


@_break
def buffer_twice(plan: Json, random: Random) -> str | None:
    """Two buffers of one name: who names it names none."""
    plan["buffers"].append(random.choice(plan["buffers"]))
    return plan["buffers"][-1]["name"]


@_break
def scratch_called_a_buffer(plan: Json, random: Random) -> str | None:
    """A call uses it as scratch, or another as what holds a tensor."""
    found = random.choice(plan["buffers"])
    found["is_scratch"] = not found["is_scratch"]
    return found["name"]


@_break
def input_not_given(plan: Json, random: Random) -> str | None:
    """A step reads what nobody has written."""
    read = {
        piece[0] for step in plan["steps"] for access in step["reads"] for piece in access["pieces"]
    }
    found = _any(random, [a for a in plan["given"] if a["pieces"][0][0] in read])
    if found is None:
        return None
    plan["given"].remove(found)
    return found["view"]


@_break
def output_of_other_bytes(plan: Json, random: Random) -> str | None:
    """The caller is to find another tensor than the one that lies there."""
    taken = _any(random, plan["taken"])
    others = [
        tensor["name"]
        for tensor in plan["tensors"]
        if taken is not None
        and tensor["name"] not in {piece[0] for piece in taken["pieces"]}
        and tensor["bytes"] >= _size(taken)
    ]
    other = _any(random, others)
    if taken is None or other is None:
        return None
    taken["pieces"] = [[other, 0, _size(taken)]]
    return f"{taken['view']}: {other}"


@_break
def copy_of_other_bytes(plan: Json, random: Random) -> str | None:
    """A copy is to change the bytes that it copies."""
    found = [
        step["writes"][0]["pieces"][0]
        for step in plan["steps"]
        if step["kind"] == "copy" and step["reads"]
    ]
    piece = _any(random, found)
    if piece is None:
        return None
    bytes_of = {tensor["name"]: tensor["bytes"] for tensor in plan["tensors"]}
    piece[1] += 1 if piece[1] + piece[2] < bytes_of[piece[0]] else -1
    return str(piece) if piece[1] >= 0 else None


@_break
def loop_run_longer(plan: Json, random: Random) -> str | None:
    """More iterations than there are steps."""
    found = _any(random, plan["loops"])
    if found is None:
        return None
    found["count"] = len(plan["steps"]) + 1
    return found["counter"]


@_break
def engine_not_waited_for(plan: Json, random: Random) -> str | None:
    """A step beside the core that never ends."""
    found = _any(random, [step for step in plan["steps"] if step["ends"]])
    if found is None:
        return None
    found["ends"] = found["ends"][1:]
    return found["name"]
