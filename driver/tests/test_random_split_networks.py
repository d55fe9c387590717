"""Random networks in less memory; driver/tools/random_split_networks.py tries as many as wanted."""

import re
from pathlib import Path

import pytest
from random_images import RandomNetwork
from random_split_networks import Counts, Trial
from tinsmith_driver.cli import main
from tinsmith_ir import print_graph


@pytest.mark.parametrize("seed", range(8))
def test_a_network_fits_or_is_refused_with_what_it_needs(seed: int) -> None:
    assert Trial(seed, "host").tried(Counts()) == ""


@pytest.mark.parametrize("seed", [*range(8, 14), 1055, 50012])
def test_on_a_board_parts_of_layers_are_right(seed: int) -> None:
    assert Trial(seed, "cortex-m4").tried(Counts()) == ""


@pytest.mark.parametrize("seed", range(14, 18))
def test_constants_are_copied_to_what_is_left(seed: int) -> None:
    assert Trial(seed, "cortex-m4", flash_waits=5.0).tried(Counts()) == ""


def test_parts_of_a_layer_share_its_record(tmp_path: Path) -> None:
    model, output = tmp_path / "g.tsm", tmp_path / "out"
    model.write_text(print_graph(RandomNetwork(10).graph(), constants="inline"))
    arguments = [str(model), "--target", "cortex-m4", "--ram", "10000"]
    assert main(["compile", *arguments, "-o", str(output)]) == 0
    (source,) = output.glob("*.c")
    text = source.read_text()
    # The first of them has all of it.
    shared = set(re.findall(r"\.first = &(kCall_\w+),", text))
    assert shared
    assert all(f"_call {name} = {{" in text for name in shared)
    assert text.count("part_of_layer kPart = {") > len(shared)
    assert main(["verify", *arguments]) == 0
