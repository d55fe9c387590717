"""Inputs, outputs, states, names and refusals of whole programs."""

import numpy as np
import pytest
import torch
from against_torch import check
from tinsmith_ir import DType, UnsupportedError, UsageError, evaluate_graph
from tinsmith_tensors import Tensor as Composed
from tinsmith_torch import OperatorContext, Rule, import_torch
from torch import Tensor, nn
from torch.nn import functional as f


class Counting(nn.Module):
    """A buffer of integers, one of floats, and an output that is what one becomes."""

    count: Tensor
    sums: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("count", torch.zeros((), dtype=torch.long))
        self.register_buffer("sums", torch.tensor([0.5, -1.0]))

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        self.count += 1
        self.sums.mul_(0.5).add_(x)
        return self.sums, x * self.count


def test_buffers_that_change_are_states() -> None:
    frames = [(torch.tensor([1.0, 2.0]) * step,) for step in range(4)]
    graph = check(Counting(), *frames)
    assert {state.value.name for state in graph.states} == {"count", "sums"}
    initial = {state.value.name: state.initial for state in graph.states}
    assert initial["sums"].tolist() == [0.5, -1.0]
    assert initial["count"].dtype == np.int64


class Unused(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.norm = nn.BatchNorm1d(3)
        self.register_buffer("never_read", torch.zeros(1000))

    def forward(self, x: Tensor) -> Tensor:
        return self.norm(x)


def test_buffers_that_nothing_reads_or_changes_leave_nothing() -> None:
    graph = import_torch(Unused().eval(), (torch.zeros(2, 3),))
    assert not graph.states
    assert all(constant.data.size <= 3 for constant in graph.constants)


class Nested(nn.Module):
    def forward(self, x: Tensor, *, scale: Tensor) -> object:
        return {"scaled": x * scale, "parts": [x[:1], (x[1:],)], "none": None}


def test_outputs_are_called_after_their_places() -> None:
    x, scale = torch.arange(3.0), torch.tensor([2.0])
    graph = import_torch(Nested().eval(), (x,), example_kwargs={"scale": scale})
    assert [value.name for value in graph.inputs] == ["x", "scale"]
    assert [value.name for value in graph.outputs] == ["scaled", "parts_0", "parts_1_0"]
    results = evaluate_graph(graph, [x.numpy(), scale.numpy()])
    assert results["scaled"].tolist() == [0.0, 2.0, 4.0]
    assert results["parts_1_0"].tolist() == [1.0, 2.0]


class ReadAlike(nn.Module):
    def forward(self, x: Tensor) -> object:
        return {"a": [x + 1, x + 2], "a_1": x + 3}


def test_outputs_whose_places_read_alike_are_all_there() -> None:
    graph = check(ReadAlike(), (torch.zeros(2),))
    assert [value.name for value in graph.outputs] == ["a_0", "a_1", "a_1_2"]


def test_a_tuple_is_numbered_and_a_single_output_is_not() -> None:
    pair = import_torch(nn.LSTM(2, 3).eval(), (torch.zeros(4, 1, 2),))
    assert [value.name for value in pair.outputs] == ["output_0", "output_1_0", "output_1_1"]
    single = import_torch(nn.ReLU().eval(), (torch.zeros(2),))
    assert [value.name for value in single.outputs] == ["output"]


class Same(nn.Module):
    def forward(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        return x, x, torch.ones(2)


def test_inputs_and_constants_may_be_outputs() -> None:
    graph = check(Same(), (torch.tensor([3.0, 4.0]),))
    assert len({value.name for value in graph.outputs}) == 3


def test_values_are_called_after_modules() -> None:
    module = nn.Sequential(nn.Linear(3, 4), nn.ReLU())
    graph = import_torch(module.eval(), (torch.zeros(1, 3),))
    assert {constant.value.name for constant in graph.constants} == {"_0_weight", "_0_bias"}
    assert "aten.linear in '0'" in str(graph.nodes[0].location)


def test_half_precision_becomes_float32_with_a_word_about_it() -> None:
    warnings: list[str] = []
    module = nn.Linear(3, 4).to(torch.bfloat16).eval()
    x = torch.zeros(1, 3, dtype=torch.bfloat16)
    graph = import_torch(module, (x,), on_warning=warnings.append)
    assert graph.inputs[0].type.dtype is DType.FLOAT32
    half = nn.Linear(3, 4).half().eval()
    import_torch(half, (x.half(),), on_warning=warnings.append)
    assert warnings == ["input 'input' is float16 in the program, and float32 here"]


def test_sizes_that_are_left_open_are_those_of_the_example() -> None:
    class Open(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            return x.view(x.shape[0], -1) * x.shape[1]

    x = torch.arange(24.0).view(2, 3, 4)
    batch = torch.export.Dim("batch")
    program = torch.export.export(Open().eval(), (x,), dynamic_shapes=({0: batch},))
    graph = import_torch(program, channels_last=False)
    assert graph.inputs[0].type.shape == (2, 3, 4)
    (result,) = evaluate_graph(graph, [x.numpy()]).values()
    assert np.array_equal(result, (x.view(2, -1) * 3).numpy())


def test_a_module_in_training_is_refused() -> None:
    with pytest.raises(UsageError, match=r"in evaluation mode, got one in training; call eval\(\)"):
        import_torch(nn.Dropout(), (torch.zeros(2),))


class OnValues(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x[x > 0]


class Branching(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x if x.sum() > 0 else -x


class Random(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x + torch.rand(2)


class Changing(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x.add_(1)


class Conditional(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return torch.cond(x.sum() > 0, torch.sin, torch.cos, (x,))  # pyright: ignore[reportUnknownMemberType]


class Complex(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return torch.complex(x, x).tan().abs()


class Spectrum(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return torch.complex(x[:4], x[:4])


class Distances(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return torch.cdist(x[:, None], x[:, None], 3.0)


def test_complex_outputs_are_pairs_with_a_word_about_it() -> None:
    warnings: list[str] = []
    graph = import_torch(Spectrum().eval(), (torch.zeros(6),), on_warning=warnings.append)
    assert graph.outputs[0].type.shape == (4, 2)
    expected = "is complex in the program; here its last axis is real and imaginary part"
    assert warnings == [f"output 'output' {expected}"]


@pytest.mark.parametrize(
    ("module", "text"),
    [
        (OnValues(), "expected fixed sizes, got"),
        (Branching(), "expected a module that torch.export.export takes"),
        (Random(), "aten.rand.default is not supported"),
        (Changing(), "has to be a buffer of the module"),
        (Complex(), "aten.tan.default of complex numbers is not supported"),
        (nn.EmbeddingBag(4, 2, padding_idx=1), "expected no padding_idx in bags"),
        (Distances(), "expected distances of order 1, 2 or infinity, got 3"),
        (Conditional(), "choose by torch.where"),
    ],
)
def test_what_cannot_be_is_refused_with_its_reason(module: nn.Module, text: str) -> None:
    is_embedding = isinstance(module, nn.EmbeddingBag)
    inputs = torch.zeros(1, 2, dtype=torch.long) if is_embedding else torch.zeros(2)
    with pytest.raises(UnsupportedError) as found:
        import_torch(module.eval(), (inputs,), name="m")
    assert str(found.value).startswith("m: ")
    assert text in str(found.value)


class Several(nn.Module):
    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        return torch.rand(2) * x, torch.lgamma(x) + 1


def test_one_error_tells_all_problems() -> None:
    with pytest.raises(UnsupportedError) as found:
        import_torch(Several().eval(), (torch.zeros(2),), name="m")
    assert len(found.value.problems) == 2
    assert "aten.rand.default" in found.value.problems[0]
    assert "aten.lgamma.default" in found.value.problems[1]
    assert str(found.value).count("Supported operators: ") == 1


@torch.library.custom_op("tinsmith_tests::twice", mutates_args=())
def twice(x: Tensor) -> Tensor:
    return x * 2


def like(x: Tensor) -> Tensor:
    return torch.empty_like(x)


twice.register_fake(like)  # pyright: ignore[reportUnknownMemberType]


class Twice(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return twice(f.relu(x))


def test_operators_of_other_libraries_are_imported_by_their_rules() -> None:
    def convert(t: OperatorContext) -> Composed:
        from tinsmith_tensors.elementwise import add

        return add(t.c, t.tensor("x"), t.tensor("x"))

    x = torch.tensor([-1.0, 2.0])
    graph = import_torch(Twice().eval(), (x,), custom={"tinsmith_tests.twice": Rule(convert)})
    assert evaluate_graph(graph, [x.numpy()])["output"].tolist() == [0.0, 4.0]
    with pytest.raises(UnsupportedError, match=r"tinsmith_tests\.twice\.default is not supported"):
        import_torch(Twice().eval(), (x,))
