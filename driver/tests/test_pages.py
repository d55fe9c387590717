"""The report's page: rules that hold without a browser, labels that tell names apart, what is said of a run."""

import json
import re
from pathlib import Path

import jsonschema
import pytest
from page_rules import colour, contrast, problems
from tinsmith_driver.bars import bars
from tinsmith_driver.cli import main
from tinsmith_driver.demonstration import find_example
from tinsmith_driver.html import html_report
from tinsmith_driver.labels import Labels
from tinsmith_driver.memory_map import memory_map
from tinsmith_driver.report import schema
from tinsmith_driver.report_types import BufferRow, MemoryRow, Report, Run
from tinsmith_driver.verdict import verdict

EXAMPLE = find_example()


def compiled(folder: Path, target: str, *options: str) -> tuple[Report, str]:
    arguments = ["compile", str(EXAMPLE.model), "--target", target, "-o", str(folder), *options]
    assert main(arguments) == 0
    found: Report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    jsonschema.validate(found, schema())
    return found, (folder / "report.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("target", "options"),
    [
        ("host", ()),
        ("cortex-m4", ("--wait-states", "flash=5")),
        ("cortex-m4", ("--ram", "2000")),
        ("siracusa", ("--engines", "both")),
    ],
)
def test_a_page_keeps_the_rules(target: str, options: tuple[str, ...], tmp_path: Path) -> None:
    _, page = compiled(tmp_path, target, *options)
    assert problems(page) == []


def test_the_rules_find_what_breaks_them(tmp_path: Path) -> None:
    _, page = compiled(tmp_path, "host")
    broken = {
        'id="memory"': 'id="layers"',
        ' scope="row"': "",
        ' tabindex="0"': "",
        'href="#layers"': 'href="#nowhere"',
        "<main>": "<main><script></script>",
        "<header>": '<header><img src="https://example.org/x.png" alt="">',
        'role="region" aria-label="Layers"': 'role="region"',
        "<summary>": "<p>a</p><summary>",
        "--dim: #5b6570": "--dim: #a0a0a0",
        "--scratch: #f0b95c": "--scratch: #503010",
        "--line: #d5dbe0;": "--line: #d5dbe0; --new: #fff;",
        "</main>": "",
    }
    for whole, part in broken.items():
        assert whole in page
        assert problems(page.replace(whole, part, 1)) != [], whole


def test_contrast_is_that_of_the_formula() -> None:
    assert contrast(colour("#000"), colour("#ffffff")) == pytest.approx(21.0)
    assert contrast(colour("#777777"), colour("#fff")) == pytest.approx(4.478, abs=0.001)
    assert colour("hsl(120 100% 50%)") == pytest.approx((0.0, 1.0, 0.0))


def test_page_and_json_say_the_same(tmp_path: Path) -> None:
    report, page = compiled(tmp_path, "cortex-m4")
    assert page == html_report(report)
    titles = re.findall(r"<title>#\d+ (.*?): (\w+), bytes ([\d,]+) to ([\d,]+), steps", page)
    said = [
        (row["name"], row["kind"], f"{row['offset']:,}", f"{row['offset'] + row['size']:,}")
        for row in report["buffers"]
    ]
    assert titles == said
    for layer in report["layers"]:
        assert f'<th scope="row">{layer["name"]}</th>' in page
        assert "×".join(map(str, layer["out_shape"])) in page


def test_labels_differ_where_names_differ() -> None:
    names = ["model/block1/Conv2D", "model/block2/Conv2D", "model/block2/Relu", "x"]
    labels = Labels(names, {name: number for number, name in enumerate(names, 1)})
    for room in range(30):
        found = {name: labels.of(name, room) for name in names}
        shown = [label for label in found.values() if label]
        assert len(set(shown)) == len(shown)
        assert all(len(label) <= room for label in shown)
    assert labels.of("model/block1/Conv2D", 9) == "…1/Conv2D"
    assert labels.of("model/block2/Relu", 5) == "…Relu"
    assert labels.of("model/block1/Conv2D", 4) == "#1"
    assert labels.of("model/block1/Conv2D", 1) == ""
    assert Labels(["ax", "bx"]).of("ax", 1) == ""


def test_a_label_is_where_nothing_is_drawn_over_it() -> None:
    buffers = [buffer("whole", 0, 1000, 0, 9), buffer("over", 0, 500, 2, 9)]
    memory: MemoryRow = {
        "name": "arena",
        "bytes": 1000,
        "lower_bound": 1000,
        "status": "optimal",
        "gap": 0.0,
        "available": None,
        "peak": 1000,
        "peak_step": 0,
    }
    found = memory_map(memory, buffers, [])
    middle = found.top + (found.bottom - found.top) / 2
    whole, over = found.names
    assert (whole.label, over.label) == ("whole", "over")
    assert over.y < middle < whole.y


def buffer(name: str, offset: int, size: int, first: int, last: int) -> BufferRow:
    return {
        "name": name,
        "kind": "activation",
        "memory": "arena",
        "offset": offset,
        "size": size,
        "first_step": first,
        "last_step": last,
    }


def ran(**changes: object) -> Run:
    run: dict[str, object] = {
        "inputs": 3,
        "groups": [
            {"name": "real", "samples": 2, "right": 1, "mismatches": 0, "file_mismatches": 0},
            {
                "name": "random",
                "samples": 1,
                "right": None,
                "mismatches": 0,
                "file_mismatches": None,
            },
        ],
        "bit_exact": True,
        "layer_samples": 0,
        "layers_equal": None,
        "mismatches": 0,
        "file_float_share": None,
        "float_tolerance": None,
    }
    return run | changes  # pyright: ignore[reportReturnType]


def test_a_verdict_says_what_was_compared_and_no_more() -> None:
    assert verdict(None).is_right is None
    assert verdict(ran(bit_exact=None)).title == "not compared"
    found = verdict(ran())
    assert (found.title, found.is_right) == ("bit-exact", True)
    assert found.sentences == [
        "Output bytes of 3 samples against the evaluator's: all are equal.",
        "Integers of 2 samples against those of the sample file: all are equal.",
        "Outputs of layers were not compared.",
    ]
    layers = verdict(ran(bit_exact=False, layer_samples=1, layers_equal=False))
    assert (layers.title, layers.is_right) == ("NOT bit-exact", False)
    assert layers.sentences[-1].endswith("against the evaluator's: one differs.")
    assert layers.sentences[0].endswith("all are equal.")


def test_floats_beyond_the_tolerance_are_no_good_answer() -> None:
    far = verdict(ran(file_float_share=0.5, float_tolerance=0.1))
    assert far.is_right is False
    assert far.title == "bit-exact, and too far from the sample file"
    assert verdict(ran(file_float_share=0.05, float_tolerance=0.1)).is_right is True


def test_bars_are_shares_of_what_the_board_has(tmp_path: Path) -> None:
    report, _ = compiled(tmp_path, "cortex-m0")
    (ram,) = bars(report)
    arena = report["ram"]["arena"]
    assert ram.text == f"{arena:,} of 32,768 bytes, {arena / 32768:.1%}"
    assert [part.share for part in ram.parts] == [f"{100 * arena / 32768:.2f}"]
    assert not ram.is_over
    host, _ = compiled(tmp_path / "host", "host")
    assert bars(host) == []
