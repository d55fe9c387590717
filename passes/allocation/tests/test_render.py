"""The map of a plan, letter by letter."""

from tinsmith_allocation import Block, Leave, Plan, plan_greedy, render_map


def test_map_shows_who_holds_which_bytes_when() -> None:
    blocks = (Block("x", 1000, -1, 0), Block("conv", 3000, 0, 1), Block("y", 12, 1, 2))
    assert render_map(plan_greedy(blocks), rows=4) == (
        "arena 4,000 bytes, optimal (bound 4,000 bytes)\n"
        "    0 |.bb.|\n"
        "1,000 |.bb.|\n"
        "2,000 |.bb.|\n"
        "3,000 |aacc|\n"
        "a  x     3,000 .. 4,000  1,000 bytes, steps -1 to 0\n"
        "b  conv      0 .. 3,000  3,000 bytes, steps 0 to 1\n"
        "c  y     3,000 .. 3,012     12 bytes, steps 1 to 2\n"
    )


def test_map_never_has_more_rows_than_bytes() -> None:
    picture = render_map(plan_greedy((Block("x", 2, 0, 0),)))
    assert picture.count("|a|") == 2


def test_map_of_nothing_is_its_title() -> None:
    assert render_map(plan_greedy(())) == "arena 0 bytes, optimal (bound 0 bytes)\n"


def test_map_says_when_the_optimum_is_not_proven() -> None:
    assert "feasible (bound 5 bytes)" in render_map(Plan((Block("x", 6, 0, 0),), {"x": 0}, 5))


def test_a_block_written_in_place_shows_from_its_first_step() -> None:
    blocks = (Block("x", 8, 0, 1), Block("y", 8, 1, 2))
    plan = plan_greedy(blocks, leaves=[Leave("y", "x")])
    assert "|abb|" in render_map(plan, rows=1)
    assert picture_lines(plan)[-1] == "y over x+0"


def test_the_list_says_what_slides_over_what() -> None:
    blocks = (Block("x", 64, -1, 3), Block("y", 48, 0, 4), Block("z", 8, 4, 5))
    plan = plan_greedy(blocks, leaves=[Leave("y", "x", -16), Leave("z", "y", None)])
    assert picture_lines(plan)[-2:] == [
        "c  z  72 .. 80   8 bytes, steps 4 to 5",
        "y over x-16",
    ]


def picture_lines(plan: Plan) -> list[str]:
    return render_map(plan).splitlines()
