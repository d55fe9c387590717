import io
import sys

import numpy as np
import pytest
from tinsmith_driver.pictures import picture, side_by_side
from tinsmith_driver.table import fitted_table, middle_cut, table, thousands

LONG = "tinsmith_fully_connected_packed_s8"


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_numbers_stand_to_the_right_and_text_to_the_left() -> None:
    lines = table(["name", "bytes"], [["a", "1,000"], ["long", "5"]]).splitlines()
    assert lines == ["name  bytes", "----  -----", "a     1,000", "long      5"]


def test_shapes_are_text_that_begins_with_a_number() -> None:
    lines = table(["shape", "n"], [["25x5x64-64", "3.5"], ["k1", "-2 %"]]).splitlines()[2:]
    assert lines == ["25x5x64-64   3.5", "k1          -2 %"]
    assert table(["shape"], [["640-128"], ["6x6 5x5"]]).splitlines()[2] == "640-128"


def test_a_table_without_rows_has_its_header() -> None:
    assert table(["a", "b"], []).splitlines()[0] == "a  b"


def test_unknown_numbers_are_a_dash() -> None:
    assert [thousands(None), thousands(0), thousands(1234567)] == ["-", "0", "1,234,567"]


def test_a_picture_goes_from_blank_to_dark() -> None:
    image = np.array([[-128, 127]], np.int8)
    assert picture(image) == ["  @@"]


def test_pictures_stand_side_by_side_over_their_captions() -> None:
    text = side_by_side([["##", "##"], ["..", ".."]], ["a", "b"])
    assert text.splitlines() == ["##   ..", "##   ..", "a    b"]


def test_a_wide_table_fits_and_loses_nothing() -> None:
    cells = ["first_layer_of_the_network", LONG, "1,000", "a sentence of many words " * 4]
    text = fitted_table(["layer", "kernel", "bytes", "why it was taken"], [cells])
    assert max(map(len, text.splitlines())) <= 80
    assert [text.split().count(word) for word in (cells[0], LONG, "1,000")] == [2, 1, 1]
    assert "".join(text.split("\n\n")[1].split()).endswith("".join(cells[3].split()))


def test_names_are_cut_rather_than_tables_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", _Terminal())
    rows = [["first_layer_of_the_network", LONG * 2, "1,000", "a sentence of many words " * 4]]
    lines = fitted_table(["layer", "kernel", "bytes", "why it was taken"], rows).splitlines()
    assert max(map(len, lines)) <= 80
    assert "" not in lines
    assert "…" in lines[2]


def test_long_names_go_on_behind_a_mark() -> None:
    lines = fitted_table(["a", "b"], [[LONG * 2, "x" * 60]]).splitlines()
    assert max(map(len, lines)) <= 80
    assert lines[2].split()[0].endswith("_")
    assert "".join(line.split()[0] for line in lines[2:]) == LONG * 2


def test_a_table_for_a_document_is_whole() -> None:
    assert LONG * 4 in table(["a"], [[LONG * 4]])


def test_names_are_cut_in_the_middle_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", _Terminal())
    (line,) = table(["a", "b"], [[LONG * 2, "x" * 60]]).splitlines()[2:]
    assert len(line) <= 80
    assert line.startswith("tinsmith_")
    assert "_s8  xxx" in line
    assert line.count("…") == 2


def test_columns_without_room_follow_below_behind_the_first() -> None:
    header = ["name", *(f"number_{index}" for index in range(12))]
    text = fitted_table(header, [["a", *map(str, range(12))], ["b", *map(str, range(12))]])
    first, second = text.split("\n\n")
    assert max(map(len, text.splitlines())) <= 80
    titles = [block.splitlines()[0].split() for block in (first, second)]
    assert [block[0] for block in titles] == ["name", "name"]
    assert [title for block in titles for title in block[1:]] == header[1:]
    assert [line.split()[0] for line in second.splitlines()[2:]] == ["a", "b"]


@pytest.mark.parametrize("width", [3, 4, 7, 25])
def test_a_cut_name_keeps_both_ends(width: int) -> None:
    cut = middle_cut(LONG, width)
    assert len(cut) == width
    assert cut[0] == LONG[0]
    assert cut[-1] == LONG[-1]
    assert middle_cut("short", 5) == "short"


@pytest.mark.parametrize("width", [26, 33])
def test_what_all_names_of_ours_begin_with_goes_first(width: int) -> None:
    assert middle_cut(LONG, width) == "…fully_connected_packed_s8"
