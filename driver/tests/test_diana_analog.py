"""DIANA's analog array in networks: alone beside the core, and with the digital one, with which it shares a memory."""

import json
from pathlib import Path

import numpy as np
import pytest
from tinsmith_driver import main
from tinsmith_driver.benchmarks.diana_layers import compiled
from tinsmith_driver.models import read_model
from tinsmith_emulators import MissingEmulatorError, need_emulator
from tinsmith_ir import Graph, evaluate_graph, evaluate_program
from tinsmith_ir.evaluate import equal_arrays
from tinsmith_target import target

_DIGITS = Path(__file__).parents[2] / "examples/digits/digits_ternary.tsm"
_ANALOG, _DIGITAL = "tinsmith_diana_analog", "tinsmith_diana_digital"
_GIVING_PIXELS, _CORES_TURNING = "tinsmith_diana_digital_pixels", "tinsmith_diana_rows_to_pixels"
_KEPT, _FETCHED, _SENT = (
    "tinsmith_diana_analog_in_banks",
    "tinsmith_diana_to_banks",
    "tinsmith_diana_from_banks",
)
_IN_BANKS, _TO_BANKS = "tinsmith_diana_digital_in_banks", "tinsmith_diana_digital_to_banks"
_IN_PIXELS = "tinsmith_diana_digital_in_pixels"

# Inputs and what the digital array gives have 7 bits, which the analog one takes; so have its results, by a clip. The
# sum behind reads what the digital array has left, too, as pixels that were made of it for the analog one.
_WEIGHTS = np.random.default_rng(1).integers(-1, 2, (18, 3, 3, 18)).reshape(-1).tolist()
_MODEL = f"""graph 2 "mixed" {{
  input %x: i8[1,6,8,3]<0.5, 0>
  const %v: i8[18,1,1,3]<0.25, 0> = {[6, -6, 1] * 18}
  const %b: i32[18]<0.125, 0> = {list(range(18))}
  const %w: i8[18,3,3,18] = {_WEIGHTS}
  const %m: i8[18] = {[3, -2] * 9}
  const %a: i8[18] = {list(range(18))}
  %d: i8[1,6,8,18]<2.0, 0> = conv2d(%x, %v, %b) {{rounding=floor}}
  %e: i8[1,6,8,18]<2.0, 0> = analog_conv2d(%d, %w, %m, %a) {{gain=16, chunk_channels=18, bits=7, padding=[1,1,1,1]}}
  %s: i8[1,6,8,18]<4.0, 0> = add(%d, %e) {{rounding=floor}}
  output %s
}}
"""

# Images of two words of all banks, of one bank and an odd number of pixels, of three banks.
_BANKS = f"""graph 2 "banks" {{
  input %x: i8[1,9,10,70]<0.5, 0>
  const %u: i8[16,5,3,70] = {np.random.default_rng(2).integers(-1, 2, 16 * 15 * 70).tolist()}
  const %v: i8[100,1,1,16] = {np.random.default_rng(3).integers(-1, 2, 1600).tolist()}
  const %w: i8[33,3,3,100] = {np.random.default_rng(4).integers(-1, 2, 33 * 900).tolist()}
  const %k: i8[16] = {[2, -3] * 8}
  const %l: i8[100] = {[5, -7] * 50}
  const %m: i8[33] = {[3, 1, -2] * 11}
  const %a: i8[16] = {list(range(16))}
  const %b: i8[100] = {list(range(100))}
  const %c: i8[33] = {list(range(33))}
  %d: i8[1,5,5,16]<0.5, 0> = analog_conv2d(%x, %u, %k, %a)
    {{gain=16, chunk_channels=70, bits=7, stride=[2,2], padding=[3,1,1,1]}}
  %e: i8[1,5,5,100]<0.5, 0> = analog_conv2d(%d, %v, %l, %b) {{gain=16, chunk_channels=16, bits=7, rectified=true}}
  %y: i8[1,5,5,33]<0.5, 0> = analog_conv2d(%e, %w, %m, %c)
    {{gain=16, chunk_channels=100, padding=[1,1,1,1], addend_shift=1, shift=1}}
  output %y
}}
"""

# For each number of channels an image of the digital array, of which all sums lie within 7 bits, and the analog array's
# of that. Pixels of one, two and four banks, and of two words of these; the core turns three channels of such rows.
_CHANNELS = (3, 16, 20, 32, 64, 96, 128)
_TURNED = "\n".join(
    f"""
  const %v{count}: i8[{count},1,1,3]<0.25, 0> = {np.resize([5, -5, 1, 2, -3], 3 * count).tolist()}
  const %b{count}: i32[{count}]<0.125, 0> = {list(range(count))}
  const %w{count}: i8[16,1,1,{count}] = {np.random.default_rng(count).integers(-1, 2, 16 * count).tolist()}
  %d{count}: i8[1,7,20,{count}]<2.0, 0> = conv2d(%x, %v{count}, %b{count}) {{rounding=floor}}
  %e{count}: i8[1,7,20,16]<2.0, 0> = analog_conv2d(%d{count}, %w{count}, %m, %a) {{gain=16, chunk_channels=1152}}
  output %e{count}"""
    for count in _CHANNELS
)
_TURNS = f"""graph 2 "turns" {{
  input %x: i8[1,7,20,3]<0.5, 0>
  const %m: i8[16] = {[3, -2] * 8}
  const %a: i8[16] = {list(range(16))}
{_TURNED}
}}
"""

# Images of 8 bits, of the digital array and of the analog one, that the former halves where they lie.
_HALVED = f"""graph 2 "halved" {{
  input %x: i8[1,6,16,3]<0.5, 0>
  const %v: i8[20,1,1,3]<0.25, 0> = {[9, -9, 5] * 20}
  const %b: i32[20]<0.125, 0> = {list(range(20))}
  const %w: i8[34,1,1,20] = {np.random.default_rng(5).integers(-1, 2, 34 * 20).tolist()}
  const %u: i8[16,3,3,34] = {np.random.default_rng(6).integers(-1, 2, 16 * 9 * 34).tolist()}
  const %m: i8[34] = {[5, -3] * 17}
  const %a: i8[34] = {list(range(34))}
  const %n: i8[16] = {[3, -2] * 8}
  const %c: i8[16] = {list(range(16))}
  %d: i8[1,6,16,20]<1.0, 0> = conv2d(%x, %v, %b) {{rounding=floor}}
  %f: i8[1,6,16,20]<2.0, 0> = requantize(%d) {{rounding=floor}}
  %e: i8[1,6,16,34]<2.0, 0> = analog_conv2d(%f, %w, %m, %a) {{gain=16, chunk_channels=20}}
  %g: i8[1,6,16,34]<4.0, 0> = requantize(%e) {{rounding=floor}}
  %y: i8[1,6,16,16]<2.0, 0> = analog_conv2d(%g, %u, %n, %c) {{gain=16, chunk_channels=34, padding=[1,1,1,1]}}
  output %y
}}
"""
_TAIL = _MODEL[_MODEL.index("  %e:") : _MODEL.index("  output")]


@pytest.fixture(scope="module", autouse=True)
def simulator() -> None:
    try:
        need_emulator(target("diana").board)
    except MissingEmulatorError as error:
        pytest.skip(str(error))


@pytest.fixture
def model(tmp_path: Path) -> str:
    path = tmp_path / "mixed.tsm"
    path.write_text(_MODEL, encoding="utf-8")
    return str(path)


def verify(model: str, folder: Path, *options: str) -> dict[str, str]:
    """Kernels by layer of firmware that is bit-exact on the chip, every layer of it; their engines in `trace.json`."""
    path = folder / "report.json"
    asked = ["--target", "diana", "--layers", "--json", str(path), *options]
    assert (
        main(["verify", model, *asked, "--trace", str(folder / "trace.json"), "--no-progress"]) == 0
    )
    report = json.loads(path.read_text(encoding="utf-8"))
    return {layer["name"]: layer["kernel"] for layer in report["layers"]}


def engines_of(folder: Path) -> dict[str, int]:
    """How many spans each had in the traced run."""
    events = json.loads((folder / "trace.json").read_text(encoding="utf-8"))["traceEvents"]
    names = {
        event["tid"]: event["args"]["name"] for event in events if event["name"] == "thread_name"
    }
    spans = [names[event["tid"]] for event in events if event["ph"] == "X"]
    return {name: spans.count(name) for name in set(spans)}


@pytest.mark.parametrize("engines", ["analog", "both"])
def test_ternary_layers_of_a_network_are_jobs(
    engines: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kernels = verify(str(_DIGITS), tmp_path, "--engines", engines, "--pass", "map-analog{gain=16}")
    captured = capsys.readouterr()
    assert captured.out.endswith("layers: all equal\nbit-exact\n")
    assert [name for name, kernel in kernels.items() if kernel in (_ANALOG, _KEPT)] == [
        "block1_pointwise_1_Relu.analog",
        "block2_pointwise_1_Relu.analog",
    ]
    assert "analog" in engines_of(tmp_path)


def test_both_arrays_share_their_memory(
    model: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kernels = verify(model, tmp_path, "--engines", "both", "--inputs", _inputs(tmp_path))
    assert capsys.readouterr().out.endswith("bit-exact\n")
    layers = {name: kernels[name] for name in ("d", "e", "s")}
    # The core clips what the analog array gives, so nothing stays in its banks.
    assert layers == {"d": _GIVING_PIXELS, "e": _ANALOG, "s": _IN_PIXELS}
    assert {"digital", "analog"} <= engines_of(tmp_path).keys()


def test_the_digital_array_gives_the_analog_one_its_images(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = tmp_path / "turns.tsm"
    model.write_text(_TURNS, encoding="utf-8")
    given = _inputs(tmp_path, (7, 20, 3))
    kernels = verify(str(model), tmp_path, "--engines", "both", "--inputs", given)
    assert capsys.readouterr().out.endswith("bit-exact\n")
    giving = {count: kernels[f"d{count}"] for count in _CHANNELS}
    assert giving == dict.fromkeys(_CHANNELS, _GIVING_PIXELS)


def test_the_digital_array_halves_images_where_they_lie(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = tmp_path / "halved.tsm"
    model.write_text(_HALVED, encoding="utf-8")
    given = _inputs(tmp_path, (6, 16, 3))
    kernels = verify(str(model), tmp_path, "--engines", "both", "--inputs", given)
    assert capsys.readouterr().out.endswith("bit-exact\n")
    layers = {name: kernels[name] for name in ("d", "f", "e", "g", "y")}
    assert layers == {**dict.fromkeys("df", _DIGITAL), **dict.fromkeys("ey", _KEPT), "g": _IN_BANKS}
    # Between them one image alone is turned, and none copied.
    turned = {name: kernels[name] for name in kernels if "." in name}
    assert turned == {
        "x.diana_rows": "tinsmith_diana_to_rows",
        "f.diana_pixels": _TO_BANKS,
        "y.copy": _SENT,
        "y.dense": "tinsmith_diana_from_pixels",
    }


def test_the_core_halves_what_lies_densely(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The digital array could, but is given no layer for which operands would have to be turned."""
    model = tmp_path / "dense.tsm"
    head = _HALVED[: _HALVED.index("  %d:")].replace("[1,6,16,3]", "[1,6,16,20]")
    tail = _HALVED[_HALVED.index("  %f:") : _HALVED.index("  %g:")]
    text = head + tail.replace("requantize(%d)", "requantize(%x)").replace(
        "f: i8[1,6,16,20]<2.0", "f: i8[1,6,16,20]<1.0"
    )
    model.write_text(f"{text}  output %e\n}}\n", encoding="utf-8")
    given = _inputs(tmp_path, (6, 16, 20))
    kernels = verify(str(model), tmp_path, "--engines", "both", "--inputs", given)
    assert capsys.readouterr().out.endswith("bit-exact\n")
    assert kernels["f"].startswith("tinsmith_pulp_")


def test_images_lie_in_as_many_banks_as_they_have_channels_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = tmp_path / "banks.tsm"
    model.write_text(_BANKS, encoding="utf-8")
    given = _inputs(tmp_path, (9, 10, 70))
    kernels = verify(str(model), tmp_path, "--engines", "analog", "--inputs", given)
    assert capsys.readouterr().out.endswith("layers: all equal\nbit-exact\n")
    # The core clips the first two results to 7 bits.
    assert [kernels[name] for name in ("d", "e", "y")] == [_ANALOG] * 3


def block(channels: int) -> str:
    """Two analog layers, the digital array's half of their sum in pixels, and an analog layer that reads it."""
    random = np.random.default_rng(channels)
    deep, wide = (random.integers(-1, 2, (channels, 3, 3, depth)) for depth in (12, channels))
    return f"""graph 2 "block" {{
  input %x: i8[1,6,9,12]<0.5, 0>
  const %u: i8[{channels},3,3,12] = {deep.reshape(-1).tolist()}
  const %v: i8[{channels},1,1,12] = {deep[:, 1:2, 1:2].reshape(-1).tolist()}
  const %w: i8[{channels},3,3,{channels}] = {wide.reshape(-1).tolist()}
  const %m: i8[{channels}] = {random.integers(-9, 10, channels).tolist()}
  const %a: i8[{channels}] = {random.integers(-20, 20, channels).tolist()}
  %r: i8[1,6,9,{channels}]<0.5, 0> = analog_conv2d(%x, %u, %m, %a)
    {{gain=16, chunk_channels=12, bits=7, shift=2, padding=[1,1,1,1]}}
  %q: i8[1,6,9,{channels}]<0.5, 0> = analog_conv2d(%x, %v, %m, %a) {{gain=16, chunk_channels=12, bits=7}}
  %s: i8[1,6,9,{channels}]<1.0, 0> = add(%r, %q) {{rounding=floor}}
  %y: i8[1,6,9,{channels}]<0.5, 0> = analog_conv2d(%s, %w, %m, %a)
    {{gain=16, chunk_channels={channels}, shift=3, padding=[1,1,1,1]}}
  output %y
}}
"""


@pytest.mark.parametrize("channels", [16, 20, 32, 64])
def test_a_block_of_analog_layers_stays_in_banks(
    channels: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = tmp_path / "block.tsm"
    # Results of 8 bits, of whose sum a quarter has 7.
    text = block(channels).replace("bits=7", "bits=8").replace("<1.0, 0> = add", "<2.0, 0> = add")
    model.write_text(text, encoding="utf-8")
    given = _inputs(tmp_path, (6, 9, 12))
    kernels = verify(str(model), tmp_path, "--engines", "both", "--inputs", given)
    # All but the first image and the last lie where no core reads them.
    text = "layers: all equal, 5 of 8 aside, which no core can read\nbit-exact\n"
    assert capsys.readouterr().out.endswith(text)
    expected = {"r": _KEPT, "q": _KEPT, "s": _IN_BANKS, "y": _KEPT}
    assert {name: kernels[name] for name in "rqsy"} == expected
    copies = [kernel for kernel in kernels.values() if kernel in (_FETCHED, _SENT)]
    assert copies == [_FETCHED, _SENT]
    assert len(kernels) == len(expected) + 4


def test_what_the_core_clips_comes_from_its_memory(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Both operands of a sum, which stays."""
    model = tmp_path / "block.tsm"
    model.write_text(block(32), encoding="utf-8")
    given = _inputs(tmp_path, (6, 9, 12))
    kernels = verify(str(model), tmp_path, "--engines", "both", "--inputs", given)
    assert capsys.readouterr().out.endswith("bit-exact\n")
    expected = {"r": _ANALOG, "q": _ANALOG, "s": _IN_BANKS, "y": _KEPT}
    assert {name: kernels[name] for name in "rqsy"} == expected
    copies = [kernel for kernel in kernels.values() if kernel in (_FETCHED, _SENT)]
    assert copies == [_FETCHED, _FETCHED, _SENT]


@pytest.mark.parametrize(("engines", "channels"), [("analog", 20), ("both", 64)])
def test_an_average_behind_the_array_reads_pixels(
    engines: str, channels: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = tmp_path / "averaged.tsm"
    text = block(channels).replace("output %y", "output %mean")
    mean = f"  %mean: i8[1,1,1,{channels}]<0.5, 0> = average_pool2d(%y) {{window=[6,9]}}\n"
    model.write_text(text.replace("  output", f"{mean}  output"), encoding="utf-8")
    given = _inputs(tmp_path, (6, 9, 12))
    kernels = verify(str(model), tmp_path, "--engines", engines, "--inputs", given)
    assert capsys.readouterr().out.endswith("bit-exact\n")
    assert kernels["mean"] == "tinsmith_diana_average_pixels"


@pytest.mark.parametrize(
    ("engines", "others"),
    [("digital", "tinsmith_analog_conv2d_s8"), ("cpu", "tinsmith_analog_conv2d_s8")],
)
def test_nobody_gets_the_analog_array_unasked(
    engines: str, others: str, model: str, tmp_path: Path
) -> None:
    kernels = verify(model, tmp_path, "--engines", engines, "--inputs", _inputs(tmp_path))
    assert kernels["e"] == others


def test_generated_c_names_the_back_ends_of_its_calls(model: str, tmp_path: Path) -> None:
    alone = tmp_path / "alone.tsm"
    alone.write_text(_MODEL.replace("output %s", "output %d").replace(_TAIL, ""), encoding="utf-8")
    for path, backend in ((model, "diana_digital+diana_analog"), (str(alone), "diana_digital")):
        folder = tmp_path / backend
        asked = ["--target", "diana", "--engines", "both", "--name", "net", "-o", str(folder)]
        assert main(["compile", path, *asked]) == 0
        text = (folder / "net.c").read_text(encoding="utf-8")
        assert f"// Options: target=diana backend={backend}\n" in text


def test_another_gain_than_the_chips_is_the_cores(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kernels = verify(str(_DIGITS), tmp_path, "--engines", "analog", "--pass", "map-analog{gain=8}")
    assert _ANALOG not in kernels.values()
    assert "The gain is 16, the converters' own" in capsys.readouterr().err


def test_images_are_right_whenever_jobs_end(tmp_path: Path) -> None:
    """As all that engines do is simulated at its earliest, and at its latest."""
    path = tmp_path / "halved.tsm"
    path.write_text(_HALVED, encoding="utf-8")
    compilation = compiled(read_model(path), "both")
    graph, program = compilation.graph, compilation.program
    assert isinstance(graph, Graph)
    assert _KEPT in {call.kernel for call in program.calls if call.engine == "analog"}
    x = np.random.default_rng(3).integers(-64, 64, (1, 6, 16, 3)).astype(np.int8)
    wanted = evaluate_graph(graph, [x]).values()
    for completion in ("earliest", "latest"):
        found = evaluate_program(program, [x], completion=completion).values()
        assert all(map(equal_arrays, found, wanted))


def _inputs(folder: Path, shape: tuple[int, ...] = (6, 8, 3)) -> str:
    """Of 7 bits: what layers in front of the analog one make of others would have more."""
    path = folder / "inputs.npz"
    random = np.random.default_rng(2)
    np.savez(path, x=random.integers(-64, 64, (3, *shape)).astype(np.int8))
    return str(path)
