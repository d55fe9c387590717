"""What benchmarks measure: made networks, their samples, and what a comparison says."""

import numpy as np
import pytest
from tinsmith_driver.benchmarks.subjects import (
    Subject,
    byte_status,
    compared,
    made_model,
    tiny,
    wrong_bytes,
)
from tinsmith_driver.inputs import Samples, random_samples
from tinsmith_driver.options import CompileOptions
from tinsmith_driver.pipelines import compile_model
from tinsmith_driver.running import GroupResult, Measurement
from tinsmith_ir import Graph, UsageError, parse_graph
from tinsmith_ir.testing import mlperf_tiny_inputs_dir


def graph() -> Graph:
    return parse_graph("""graph 2 "small" {
  input %x: i8[4]<0.5, 0>
  %y: i8[4]<0.5, 0> = relu(%x)
  output %y
}""")


def measured(*mismatches: int | None) -> Measurement:
    samples = random_samples(graph(), 1)
    groups = tuple(GroupResult(samples, (), count, file_mismatches=7) for count in mismatches)
    return Measurement(groups, None, None, (), (), None, "")


def test_a_made_network_is_as_if_it_were_read() -> None:
    model, again = made_model(graph()), made_model(graph())
    assert (str(model.path), model.format, len(model.sha256)) == ("small.tsm", "tsm", 64)
    assert model.sha256 == again.sha256


def test_samples_are_at_random_where_there_is_no_file() -> None:
    subject = Subject(made_model(graph()))
    assert [len(group) for group in subject.samples(graph(), 3)] == [3]
    assert [len(group) for group in subject.samples(graph())] == [1]


def test_samples_are_those_of_the_file() -> None:
    if mlperf_tiny_inputs_dir() is None:
        pytest.skip("no samples of MLPerf Tiny")
    try:
        subject = tiny("ad")
    except UsageError as error:
        pytest.skip(str(error))
    assert isinstance(subject.model.graph, Graph)
    every, few = subject.samples(subject.model.graph), subject.samples(subject.model.graph, 1)
    assert [len(group) for group in few] == [1] * len(every)
    assert sum(map(len, every)) > len(few)


def test_a_run_is_compared_with_the_evaluator() -> None:
    compilation = compile_model(made_model(graph()), CompileOptions("host"))
    given = Samples("given", (np.array([[-1, 2, -3, 4]], np.int8),), None, None)
    measurement, build = compared(compilation, [given], 60)
    (output,) = measurement.groups[0].outputs
    assert output.tolist() == [[0, 2, 0, 4]]
    assert byte_status(measurement) == "ok"
    assert build.code > 0


def test_what_a_file_holds_is_no_wrong_byte() -> None:
    assert [wrong_bytes(measured(0, None)), wrong_bytes(measured(2, 1))] == [0, 3]
    assert [byte_status(measured(0)), byte_status(measured(2, 1))] == ["ok", "3 bytes differ"]
