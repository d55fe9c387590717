"""The cycles of a layer, by hand."""

import pytest
from tinsmith_tiling import Layer, Memory, Plan, Problem, Staging, Tensor, Way, solve, solve_greedy

FAR = (Memory("L1", 1000), Memory("L2", None))


def one_layer(way: Way, *, homes: tuple[int, ...] = (1,)) -> Problem:
    tensors = (Tensor("x", 100, homes), Tensor("y", 100, (1,)))
    return Problem(FAR, tensors, (Layer("a", ("x",), ("y",), (way,)),))


def two_layers(first: Way, second: Way, near_bytes: int = 1000) -> Problem:
    tensors = (Tensor("x", 100, (0,)), Tensor("y", 100, (0,)), Tensor("z", 100, (0,)))
    layers = (Layer("a", ("x",), ("y",), (first,)), Layer("b", ("y",), ("z",), (second,)))
    return Problem((Memory("L1", near_bytes), Memory("L2", None)), tensors, layers)


def cycles(problem: Problem) -> int:
    plan = solve(problem)
    assert plan.status.value == "optimal"
    assert plan.layer_cycles == solve_greedy(problem).layer_cycles
    return plan.cycles


def staged(slots: int, tiles: int, compute: int) -> Way:
    operands, results = (Staging("x", 50, slots, 41),), (Staging("y", 50, slots, 30),)
    return Way("w", compute, operands=operands, results=results, tiles=tiles)


def test_one_slot_exposes_all_copies() -> None:
    assert cycles(one_layer(staged(1, 4, 500))) == 41 + 30 + 500


def test_two_slots_expose_the_first_tile_in_and_the_last_one_out() -> None:
    # A quarter of 41, rounded up, and of 30.
    assert cycles(one_layer(staged(2, 4, 500))) == 11 + 8 + 500


def test_copies_that_take_longer_than_the_computation_count_instead() -> None:
    assert cycles(one_layer(staged(2, 4, 10))) == 41 + 30
    assert cycles(one_layer(staged(2, 4, 53))) == 11 + 8 + 53


def test_a_single_tile_exposes_its_copies() -> None:
    assert cycles(one_layer(staged(2, 1, 500))) == 41 + 30 + 500


def test_a_near_tensor_is_not_copied() -> None:
    assert cycles(one_layer(staged(1, 4, 500), homes=(0, 1))) == 30 + 500


def test_constants_of_the_first_layer_are_exposed_up_to_its_first_tile() -> None:
    way = Way("w", 100, operands=(Staging("x", 1, 1, 0),), results=(Staging("y", 1, 1, 0),))
    whole = Way("w", 100, 0, way.operands, way.results, 64, 1, 80)
    tiles = Way("w", 100, 0, way.operands, way.results, 64, 2, 80, 20, tiles=4)
    reloaded = Way("w", 100, 0, way.operands, way.results, 64, 1, 80, 20, tiles=4)
    assert cycles(one_layer(whole)) == 180
    assert cycles(one_layer(tiles)) == 120
    assert cycles(one_layer(reloaded)) == 180


def test_a_prefetch_hides_behind_the_layer_before() -> None:
    second = Way("w", 50, constants_bytes=64, constants_copy_cycles=80)
    assert cycles(two_layers(Way("w", 100), second)) == 100 + 50
    assert cycles(two_layers(Way("w", 30), second)) == 80 + 50


def test_a_prefetch_needs_room_beside_the_layer_before() -> None:
    first = Way("w", 100, scratch_bytes=64)
    second = Way("w", 50, constants_bytes=64, constants_copy_cycles=80)
    assert cycles(two_layers(first, second, 328)) == 100 + 50
    assert cycles(two_layers(first, second, 324)) == 100 + 80 + 50


@pytest.mark.parametrize(("home", "copies"), [(1, 5), (2, 70), (3, 70)])
def test_copies_cost_what_the_home_says(home: int, copies: int) -> None:
    memories = (*FAR[:1], *(Memory(f"L{level}", None) for level in (2, 3, 4)))
    tensors = (Tensor("x", 8, (home,)), Tensor("y", 8, (0,)))
    way = Way("w", 1, operands=(Staging("x", 8, 1, (5, 70)),))
    plan = solve(Problem(memories, tensors, (Layer("a", ("x",), ("y",), (way,)),)))
    assert plan.cycles == 1 + copies


def test_a_tensor_takes_the_middle_memory_where_that_is_nearer() -> None:
    memories = (Memory("L1", 32), Memory("L2", 100), Memory("L3", None))
    tensors = (Tensor("x", 8, (2,)), Tensor("y", 80, (0, 1, 2)), Tensor("z", 8, (2,)))

    def way(operand: str, result: str) -> Way:
        operands, results = (Staging(operand, 8, 1, (5, 70)),), (Staging(result, 8, 1, (5, 70)),)
        return Way("w", 1, operands=operands, results=results, tiles=10)

    layers = (
        Layer("a", ("x",), ("y",), (way("x", "y"),)),
        Layer("b", ("y",), ("z",), (way("y", "z"),)),
    )
    plan: Plan = solve(Problem(memories, tensors, layers))
    assert (plan.homes["y"], plan.offsets["y"]) == (1, 0)
    assert plan.cycles == 2 * (70 + 1 + 5)
