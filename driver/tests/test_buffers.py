"""What reports say of buffers and of the constants of layers: small plans and texts, by hand."""

from pathlib import Path

from tinsmith_allocation import Block, Plan
from tinsmith_driver.buffers import Occupied
from tinsmith_driver.compilation import Compilation
from tinsmith_driver.demonstration import find_example
from tinsmith_driver.models import read_model
from tinsmith_driver.options import CompileOptions, Waits
from tinsmith_driver.pipelines import compile_model
from tinsmith_driver.report import report
from tinsmith_lowering.compressed import stored_constants

DIGITS = find_example().model


def kinds(compilation: Compilation) -> dict[str, str]:
    return {row["name"]: row["kind"] for row in report(compilation)["buffers"]}


def test_bytes_that_blocks_share_are_held_once() -> None:
    blocks = (Block("a", 8, -1, 1), Block("b", 8, 1, 2), Block("c", 4, 1, 1), Block("d", 2, 3, 3))
    occupied = Occupied(Plan(blocks, {"a": 0, "b": 4, "c": 16, "d": 0}, 20, ()))
    assert [occupied.at(step) for step in range(-2, 5)] == [0, 8, 8, 16, 8, 2, 0]
    assert occupied.peak == (1, 16)


def test_no_blocks_hold_nothing() -> None:
    assert Occupied(Plan((), {}, 0, ())).peak == (0, 0)
    assert Occupied(Plan((), {}, 0, ())).at(3) == 0


def test_ends_scratch_and_states_are_told_from_activations(tmp_path: Path) -> None:
    path = tmp_path / "kept.tsm"
    path.write_text(
        """graph 2 "kept" {
  input %x: i8[1,4]<0.05, 0>
  state %before: i8[1,4]<0.05, 0> = [0, 0, 0, 0] next %after
  %after: i8[1,4]<0.05, 0> = add(%x, %before)
  %between: i8[1,4]<0.05, 0> = relu(%after)
  %y: i8[1,4]<0.05, 0> = add(%between, %x)
  output %y
}"""
    )
    found = kinds(compile_model(read_model(path), CompileOptions("host")))
    assert set(found.values()) >= {"input", "output", "state"}
    assert found["x"] == "input"
    assert found["y"] == "output"
    digits = kinds(compile_model(read_model(DIGITS), CompileOptions("cortex-m4")))
    assert all((kind == "scratch") == name.endswith(".scratch") for name, kind in digits.items())
    assert "activation" in digits.values()


def test_copies_of_constants_are_constants_and_layers_have_their_bytes() -> None:
    plain = CompileOptions("cortex-m4")
    wholes = {row["name"]: row["weights"] for row in report(_digits(plain))["layers"]}
    copied = _digits(CompileOptions("cortex-m4", waits=Waits(flash=9.0, may_grow=True)))
    found = report(copied)
    assert found["held"] is not None
    assert "constant" in kinds(copied).values()
    assert {row["name"]: row["weights"] for row in found["layers"]} == wholes


def test_layers_have_all_constants_that_are_stored() -> None:
    compilation = _digits(CompileOptions("cortex-m4"))
    stored = sum(constant.data.nbytes for constant in stored_constants(compilation.program))
    assert sum(row["weights"] for row in report(compilation)["layers"]) == stored


def test_compressed_weights_count_as_what_lies_in_flash() -> None:
    small = _digits(CompileOptions("cortex-m4", flash_bytes=7_700))
    found = report(small)
    assert found["compression"] is not None
    stored = sum(constant.data.nbytes for constant in stored_constants(small.program))
    layers = [row for row in found["layers"] if not row["op"].startswith("decompress")]
    assert sum(row["weights"] for row in layers) == stored


def _digits(options: CompileOptions) -> Compilation:
    return compile_model(read_model(DIGITS), options)
