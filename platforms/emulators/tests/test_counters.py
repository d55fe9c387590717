"""What cores did is what the simulator counted: of a run in its region, less an empty run; of a layer in its stage."""

import json

import pytest
from tinsmith_emulators import CoreCounts, OutputError
from tinsmith_emulators.counters import read_counters, read_layers


def region(number: int, classes: dict[str, int], stalls: dict[str, int]) -> dict[str, object]:
    return {"region": number, "classes": classes, "stalls": stalls}


def file(*cores: dict[str, object]) -> bytes:
    return json.dumps({"schema": "tinsmith.soc/1", "cores": cores}).encode()


def test_an_empty_run_is_subtracted() -> None:
    empty = region(1, {"alu": 5, "load": 1}, {"l2": 30, "dispatch": 9})
    first = region(2, {"alu": 25, "load": 1, "mac": 8}, {"l2": 45, "barrier": 7, "dispatch": 8})
    data = file(
        {"name": "core 0", "regions": [empty, first]}, {"name": "fabric controller", "regions": []}
    )
    assert read_counters(data) == (
        CoreCounts("core 0", 50, 28, {"alu": 20, "mac": 8}, {"l2": 15, "barrier": 7}),
    )


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"{", "is no JSON"),
        (b'{"schema": "other"}', "expected schema tinsmith.soc/1, got 'other'"),
        (b"[]", r"expected an object, got \[\]"),
        (file({"name": "core 0"}), "expected a list, got None"),
        (
            file({"name": "0", "regions": [region(1, {}, {}), {**region(2, {}, {}), "stalls": 3}]}),
            "expected an object, got 3",
        ),
    ],
)
def test_another_file_is_refused(data: bytes, message: str) -> None:
    with pytest.raises(OutputError, match=message):
        read_counters(data)


def test_layers_are_stages_of_the_cores_that_ran() -> None:
    regions = [region(1, {}, {}), region(2, {"alu": 9}, {"l2": 4})]
    stage = {"stage": 1, "classes": {"alu": 3}, "stalls": {"l2": 4}}
    data = file(
        {"name": "core 0", "regions": regions, "stages": [stage]},
        {"name": "core 8", "regions": [], "stages": [stage]},
    )
    assert read_layers(data, 2) == (
        (CoreCounts("core 0", 7, 3, {"alu": 3}, {"l2": 4}),),
        (CoreCounts("core 0", 0, 0, {}, {}),),
    )
