"""Each claim of a plan: true ones hold, and one that is not is named."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from small_plans import (
    Json,
    access,
    beside_the_core,
    call,
    patches,
    sliding,
    sums,
    two_calls,
    window,
)
from tinsmith_plan_check import PlanRefusedError, check_plan, read_plan


def checked(plan: Json) -> None:
    check_plan(read_plan(json.dumps(plan).encode()))


def refusal(plan: Json) -> str:
    with pytest.raises(PlanRefusedError) as caught:
        checked(plan)
    return str(caught.value)


@pytest.mark.parametrize("make", [two_calls, sliding, window, patches, sums, beside_the_core])
def test_a_true_plan_holds(make: Callable[[], Json]) -> None:
    checked(make())


def test_a_result_over_what_is_still_read_is_found_where_it_is_read() -> None:
    plan = two_calls()
    # y over x would be fine for a kernel that says so; z over y, too.
    plan["buffers"][1]["offset"] = 4
    plan["memories"][0] |= {"bytes": 12, "bound": 0, "searched_bound": 0, "status": "feasible"}
    assert refusal(plan) == "overlap: step 0 (first): expected x.0.8 not written, got byte 4"


def test_bytes_of_others_are_found_byte_by_byte() -> None:
    plan = two_calls()
    plan["taken"] = [access("z", "made/y", 8)]
    assert refusal(plan) == (
        "content: the end, view z.0.8: expected byte 0 of made/y at address 0, got byte 0 of made/z"
    )


def test_bytes_that_nobody_wrote_are_no_content() -> None:
    plan = two_calls()
    plan["given"] = []
    assert "expected byte 0 of given/x at address 0, got nothing" in refusal(plan)


def test_a_tensor_is_made_once() -> None:
    plan = two_calls()
    plan["steps"].append(plan["steps"][1])
    assert "expected byte 0 of made/z made once, got made twice" in refusal(plan)


def test_a_kernel_trails_its_operand_as_far_as_its_walk_says() -> None:
    plan = sliding()
    # One element further on, the first of y is written over the second of x, read once more.
    plan["buffers"][1]["offset"] = 4
    assert refusal(plan).startswith(
        "overlap: step 0 (slide): expected byte 4 of x.0.16 read before the result is written"
    )


def test_a_leave_may_be_narrower_than_the_truth_but_not_wider() -> None:
    plan = sliding()
    plan["leaves"][0]["at_most"] = 1
    assert refusal(plan) == "leaves: y over x: expected up to 0 at most, got 1"
    plan["leaves"][0] |= {"at_most": None, "exactly": [0]}
    checked(plan)
    plan["leaves"][0]["at_least"] = 12
    # At 12 the last element of x becomes the first of y: it is read for the last of y.
    assert refusal(plan) == "leaves: y over x: expected from 16 on at least, got 12"


def test_buffers_share_bytes_by_a_leave_alone() -> None:
    plan = sliding()
    plan["leaves"] = []
    assert refusal(plan).startswith("overlap: step 0, byte 0 of arena: expected x and y apart")


def test_lives_are_those_of_the_steps() -> None:
    plan = two_calls()
    plan["buffers"][1]["lives"] = [[0, 0]]
    assert refusal(plan) == "lives: buffer y: expected steps 0 to 1, got steps 0 to 0"


def test_a_buffer_that_is_written_anew_has_two_lives() -> None:
    plan = two_calls()
    plan["steps"].append(call("third", [access("z", "made/z", 8)], [access("x", "made/x", 8)]))
    plan["tensors"].append({"name": "made/x", "bytes": 8, "is_constant": False})
    plan["taken"] = [access("x", "made/x", 8)]
    plan["buffers"][0]["lives"] = [[-1, 0], [2, 3]]
    plan["buffers"][2]["offset"] = 16
    plan["memories"][0] |= {"bytes": 24, "budget": 24, "status": "feasible", "gap": 0.333333}
    checked(plan)
    plan["buffers"][0]["lives"] = [[-1, 3]]
    assert "lives: buffer x: expected steps -1 to 0, 2 to 3" in refusal(plan)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"bound": 17, "searched_bound": 17}, "expected at most 16 bytes, got 17"),
        ({"searched_bound": 17}, "bound: memory arena: expected at most the 16 bytes of the plan"),
        ({"bound": 12, "searched_bound": 12}, "status: memory arena: expected feasible"),
        ({"gap": 0.25}, "gap: memory arena: expected 0.0, got 0.25"),
        ({"budget": 15}, "budget: memory arena: expected at most 15 bytes, got 16"),
        ({"bytes": 20}, "size: memory arena: expected 16 bytes, got 20"),
    ],
)
def test_sizes_and_bounds(changes: Json, said: str) -> None:
    plan = two_calls()
    plan["memories"][0] |= changes
    assert said in refusal(plan)


def test_a_bound_counts_what_a_leave_lets_two_buffers_share() -> None:
    plan = sliding()
    plan["memories"][0] |= {"bound": 17, "searched_bound": 17, "bytes": 16}
    assert "bound: memory arena: expected at most 16 bytes" in refusal(plan)


@pytest.mark.parametrize(
    ("cut", "change", "said"),
    [
        (0, {"parts": [[0, 0, 1], [5, 2, 3]]}, "expected rows from 1 on, got 2 to 2"),
        (0, {"parts": [[0, 0, 1], [2, 1, 2]]}, "cuts: call y: expected 3 rows, got 2 of them"),
        (1, {"parts": [[3, 0, 1]]}, "cuts: call z: expected 2 rows, got 1 of them"),
        (1, {"parts": [[6, 0, 1], [3, 1, 2]]}, "bytes (0, 4) of made/z written, got [(4, 8)]"),
        (1, {"start": 4}, "expected bytes (4, 8) of made/z written, got [(0, 4)]"),
    ],
)
def test_rows_are_made_once_in_order(cut: int, change: Json, said: str) -> None:
    plan = window()
    plan["cuts"][cut] |= change
    assert said in refusal(plan)


def test_parts_read_the_rows_that_they_need() -> None:
    plan = window()
    plan["cuts"][1]["reads"][0]["ends"] = [[3, 0, 2, 1]]
    assert "expected bytes (0, 12) of made/y read, got [(0, 8)]" in refusal(plan)


def test_a_window_whose_lines_do_not_move_up_holds_the_wrong_rows() -> None:
    plan = window()
    del plan["steps"][4]
    assert "step 5 (z.2)" in refusal(plan)
    assert "expected byte 4 of made/y at address 12, got byte 0 of made/y" in refusal(plan)


def test_loops_are_the_same_steps() -> None:
    plan = window()
    plan["loops"] = [{"counter": "i", "first": 0, "length": 2, "count": 2}]
    assert refusal(plan).startswith("loops: loop i, step 2 (y.2)")
    for index in (0, 2):
        plan["steps"][index]["name"] = "y.1"
    plan["loops"][0]["length"] = 1
    plan["loops"][0]["count"] = 1
    checked(plan)


@pytest.mark.parametrize(
    ("layer", "member", "value", "said"),
    [
        (0, "box", [[0, 1], [0, 1]], "expected the elements ((0, 1), (0, 1)) written"),
        (0, "box", [[0, 1], [2, 4]], "expected a box within [1, 3]"),
        (0, "needs", [[[0, 1], [1, 3]]], "expected given/x [[0, 1], [1, 3]] read"),
        (1, "needs", [[[0, 1], [1, 3]]], "expected y [[0, 1], [1, 3]] read"),
        (1, "needs", [], "expected 1 operands"),
        (1, "box", [[0, 1], [1, 2]], "expected [('made/z', 4, 4)] written"),
        (1, "step", 0, "expected a step of its own"),
    ],
)
def test_patches_read_what_they_need(layer: int, member: str, value: object, said: str) -> None:
    plan = patches()
    plan["patches"][layer]["parts"][0][member] = value
    found = refusal(plan)
    assert found.startswith("patches: call ")
    assert said in found


def test_patches_make_all_of_a_result() -> None:
    plan = patches()
    del plan["patches"][1]["parts"][1]
    assert refusal(plan) == "patches: call z: expected 8 bytes made, got 4"
    plan = patches()
    # The second patch of y is said to hold the columns of the first.
    plan["patches"][0]["parts"][1] |= {"box": [[0, 1], [0, 2]]}
    assert "step 3 (z.1): expected y [[0, 1], [1, 3]] read" in refusal(plan)


@pytest.mark.parametrize(
    ("part", "needs", "said"),
    [
        (0, [[0, 1], [0, 1]], "expected given/x [[0, 1], [0, 1]] read"),
        (1, [[0, 1], [1, 3]], "expected given/x [[0, 1], [1, 3]] read"),
    ],
)
def test_sums_add_what_they_say(part: int, needs: object, said: str) -> None:
    plan = sums()
    plan["patches"][0]["parts"][part]["needs"][0] = needs
    assert said in refusal(plan)


def test_sums_add_all_of_it_once() -> None:
    plan = sums()
    del plan["patches"][0]["parts"][1]
    assert refusal(plan).endswith("expected all of [1, 3] added, got ((0, 1), (0, 2))")
    plan = sums()
    last = plan["patches"][0]["parts"][1]
    plan["steps"][1]["reads"][0] = access("x", "given/x", 8, 4, 4)
    view = next(view for view in plan["views"] if view["name"] == "x.8.4")
    view |= {"name": "x.4.8", "shape": [8]}
    last["needs"][0] = [[0, 1], [1, 3]]
    assert "expected what follows ((0, 1), (0, 2)) added, got ((0, 1), (1, 3))" in refusal(plan)


def test_sums_go_on_from_the_part_before() -> None:
    plan = sums()
    del plan["steps"][1]["reads"][1]
    plan["steps"][1]["order"] = []
    plan["patches"][0]["parts"][1]["needs"][1] = []
    assert "read, got other sums" in refusal(plan)


def test_what_an_engine_writes_is_read_behind_the_wait() -> None:
    plan = beside_the_core()
    plan["steps"][1], plan["steps"][2] = plan["steps"][2], plan["steps"][1]
    assert refusal(plan) == (
        "engines: step 1 (use): expected no byte of step 0 (copy), in flight, got byte 8"
    )
    plan = beside_the_core()
    plan["steps"][1]["ends"] = []
    assert "in flight" in refusal(plan)


def test_scratch_lies_apart_from_operands() -> None:
    plan = two_calls()
    step = plan["steps"][1]
    step["scratch"] = access("s", "scratch/s", 4)
    plan["buffers"].append(
        {**plan["buffers"][0], "name": "s", "offset": 12, "bytes": 4, "lives": [[1, 1]]}
        | {"is_scratch": True}
    )
    plan["tensors"].append({"name": "scratch/s", "bytes": 4, "is_constant": False})
    plan["views"].append({"name": "s.0.4", "buffer": "s", "shape": [4], "element_bytes": 1})
    assert refusal(plan) == "overlap: step 1 (second): expected y.0.8 not written, got byte 12"


@pytest.mark.parametrize(
    ("member", "change", "said"),
    [
        ("buffers", {"memory": "other"}, "expected a memory of the plan, got other"),
        ("buffers", {"offset": 2}, "expected a multiple of 4, got offset 2"),
        ("buffers", {"offset": 12}, "expected all in the 16 bytes of arena, got end 20"),
        ("buffers", {"bytes": 4}, "expected all in the 4 bytes of buffer x, got end 8"),
        ("views", {"shape": [3, 3]}, "expected 9 bytes, got 8"),
        ("views", {"buffer": "nobody"}, "expected a buffer of the plan, got nobody"),
        ("tensors", {"bytes": 4}, "expected 4 bytes of it, got"),
    ],
)
def test_names_and_places(member: str, change: Json, said: str) -> None:
    plan = two_calls()
    found: list[Any] = plan[member]
    at = next(i for i, item in enumerate(found) if item["name"] in ("x", "x.0.8", "given/x"))
    found[at] |= change
    assert said in refusal(plan)
