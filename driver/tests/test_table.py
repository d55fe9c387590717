import numpy as np
from tinsmith_driver.pictures import picture, side_by_side
from tinsmith_driver.table import table, thousands


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
    text = side_by_side([["##", "##"], ["..", ".."]], ["a", "b"], gap=1)
    assert text.splitlines() == ["## ..", "## ..", "a  b"]
