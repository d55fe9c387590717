"""Several networks that take turns in one arena."""

import json
import subprocess
from pathlib import Path

import numpy as np
import pytest
from tinsmith_c.testing import host_compiler
from tinsmith_driver.cli import main
from tinsmith_driver.demonstration import find_example
from tinsmith_driver.kernel_sources import kernel_include_directories, library_sources
from tinsmith_driver.models import read_model
from tinsmith_ir import Graph, evaluate_graph
from tinsmith_ir.testing import random_inputs

MODEL = find_example().model
SMALL = """graph 2 "small" {
  input %x: i8[1,4]<0.5, 3>
  %y: i8[1,4]<0.25, 0> = relu6(%x)
  output %y
}
"""
MAIN = """
#include <stdalign.h>
#include <stdio.h>
#include <string.h>
#include "shared_arena.h"
static alignas(SHARED_ARENA_ALIGNMENT) uint8_t arena[SHARED_ARENA_BYTES];
static const int8_t image[] = {%s};
static const int8_t x[] = {%s};
static void show(const int8_t *output, unsigned size) {
  for (unsigned i = 0; i < size; i++) printf("%%d ", output[i]);
}
int main(void) {
  for (int turn = 0; turn < 2; turn++) {
    memcpy(digits_int8_input_0(arena), image, sizeof image);
    if (digits_int8_run(arena)) return 1;
    show(digits_int8_output_0(arena), DIGITS_INT8_OUTPUT_0_BYTES);
    memcpy(small_input_0(arena), x, sizeof x);
    if (small_run(arena)) return 1;
    show(small_output_0(arena), SMALL_OUTPUT_0_BYTES);
  }
  return 0;
}
"""


@pytest.fixture
def small(tmp_path: Path) -> Path:
    path = tmp_path / "small.tsm"
    path.write_text(SMALL)
    return path


def compiled(*arguments: str | Path) -> int:
    options = ["--target", "host", "--backend", "reference", "--no-progress"]
    return main(["compile", *options, *map(str, arguments)])


def test_the_largest_network_says_how_large_the_arena_is(small: Path, tmp_path: Path) -> None:
    output = tmp_path / "out"
    assert compiled(MODEL, small, "--shared-arena", "-o", output, "--json", tmp_path / "j") == 0
    made = json.loads((output / "report.json").read_text())
    sizes = {report["model"]["name"]: report["ram"]["arena"] for report in made["networks"]}
    assert sizes.keys() == {"digits_int8", "small"}
    assert made["arena"] == max(sizes.values())
    assert made["schema"] == "tinsmith.shared_arena/1"
    assert json.loads((tmp_path / "j").read_text()) == made
    assert f"SHARED_ARENA_BYTES {made['arena']}u" in (output / "shared_arena.h").read_text()
    assert {path.name for path in output.iterdir()} == {
        "shared_arena.h",
        "report.json",
        *(
            f"{name}{end}"
            for name in sizes
            for end in (".c", ".h", "_plan.json", "_report.json", "_report.html")
        ),
    }


def test_networks_take_turns(small: Path, tmp_path: Path) -> None:
    compiler = host_compiler()
    if compiler is None:
        pytest.skip("no C compiler on this machine")
    output = tmp_path / "out"
    assert compiled(MODEL, small, "--shared-arena", "-o", output) == 0
    wanted: list[int] = []
    inputs: list[str] = []
    for path in (MODEL, small):
        graph = read_model(path).graph
        assert isinstance(graph, Graph)
        samples = random_inputs(graph, seed=3)
        (sample,) = samples.values()
        inputs.append(", ".join(map(str, sample.reshape(-1).tolist())))
        (result,) = evaluate_graph(graph, samples).values()
        wanted += np.asarray(result).reshape(-1).tolist()
    (tmp_path / "main.c").write_text(MAIN % tuple(inputs))
    folders = [f"-I{folder}" for folder in (output, *kernel_include_directories())]
    sources = [*output.glob("*.c"), tmp_path / "main.c", *library_sources(["reference"])]
    program = tmp_path / "main"
    command = [compiler, "-std=c11", "-O1", *folders, *map(str, sources), "-lm", "-o", program]
    subprocess.run(command, check=True)
    printed = subprocess.run([program], check=True, capture_output=True, text=True).stdout
    assert [int(word) for word in printed.split()] == wanted * 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["{small}", "--shared-arena"], "expected several networks, got one"),
        (["{small}", "{model}"], "or --shared-arena, got 2 networks"),
        (["{small}", "{model}", "--shared-arena", "--name", "n"], "expected no name for several"),
        (["{small}", "{small}", "--shared-arena"], "two networks of one arena are called small"),
    ],
)
def test_what_is_no_set_of_networks_is_refused(
    arguments: list[str],
    message: str,
    small: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    filled = [argument.format(small=small, model=MODEL) for argument in arguments]
    assert compiled(*filled, "-o", tmp_path / "out") == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_the_largest_has_to_fit(small: Path, tmp_path: Path) -> None:
    output = tmp_path / "out"
    assert compiled(MODEL, small, "--shared-arena", "--ram", "100", "-o", output) == 1
    assert not output.exists()
