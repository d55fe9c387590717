"""Layers that become analog by cost on DIANA: the model's cycles beside those that are simulated."""

import pytest
from tinsmith_driver.benchmarks.diana_layers import compiled
from tinsmith_driver.benchmarks.htvm_networks import FREE
from tinsmith_driver.benchmarks.subjects import Subject, compared, made_model, wrong_bytes
from tinsmith_ir import Graph


@pytest.mark.parametrize("name", ["resnet", "toyadmos"])
def test_the_model_is_near_the_simulator(name: str) -> None:
    model = made_model(FREE[name](0))
    passes = ("set-rounding{mode=floor}", "map-analog{gain=16,by=cost}")
    compilation = compiled(model, "both", passes)
    graph = compilation.graph
    assert isinstance(graph, Graph)
    found, _ = compared(compilation, Subject(model).samples(graph, 1), 300)
    assert wrong_bytes(found) == 0
    lines = [line for record in compilation.pass_records for line in record.warnings]
    (line,) = (line for line in lines if line.startswith("by cost "))
    modelled = int(line.split(" cycles ")[0].split()[-1].replace(",", ""))
    assert found.cycles is not None
    assert modelled == pytest.approx(found.cycles, rel=0.06)
    # Where one array alone is faster, the other has nothing to do.
    kernels = [call.kernel for call in compilation.program.calls]
    assert {"tinsmith_diana_analog", "tinsmith_diana_analog_in_banks"} & {*kernels}
    assert "tinsmith_diana_digital" in kernels
