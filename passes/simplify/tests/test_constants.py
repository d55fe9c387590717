"""FoldConstants."""

from tinsmith_ir.parser import parse_graph
from tinsmith_ir.passes import GraphPass
from tinsmith_ir.printer import print_graph
from tinsmith_ir.testing import assert_rewrites
from tinsmith_simplify import FoldConstants, Simplify


def test_a_chain_of_nodes_on_constants_becomes_a_constant() -> None:
    assert_rewrites(
        FoldConstants(),
        """graph 2 "g" {
          input %x: f32[2]
          const %a: f32[2] = [1.0, -2.0]
          const %b: f32[1] = [0.5]
          %sum: f32[2] = add(%a, %b)
          %clamped: f32[2] = relu(%sum)
          %y: f32[2] = mul(%x, %clamped)
          output %y
        }""",
        """graph 2 "g" {
          input %x: f32[2]
          const %a: f32[2] = [1.0, -2.0]
          const %b: f32[1] = [0.5]
          const %sum: f32[2] = [1.5, -1.5]
          const %clamped: f32[2] = [1.5, 0.0]
          %y: f32[2] = mul(%x, %clamped)
          output %y
        }""",
    )


def test_integers_fold_with_their_rounding() -> None:
    assert_rewrites(
        FoldConstants(),
        """graph 2 "g" {
          input %x: i8[2]<0.25, 0>
          const %a: i8[2]<0.5, 0> = [3, -100]
          %b: i8[2]<0.25, 0> = requantize(%a)
          %y: i8[2]<0.5, 0> = add(%x, %b)
          output %y
        }""",
        """graph 2 "g" {
          input %x: i8[2]<0.25, 0>
          const %a: i8[2]<0.5, 0> = [3, -100]
          const %b: i8[2]<0.25, 0> = [6, -128]
          %y: i8[2]<0.5, 0> = add(%x, %b)
          output %y
        }""",
    )


def unchanged(pass_: GraphPass, text: str) -> None:
    graph = parse_graph(text)
    assert print_graph(pass_.run(graph)) == print_graph(graph)


def test_a_node_that_reads_an_input_stays() -> None:
    unchanged(
        FoldConstants(),
        """graph 2 "g" {
          input %x: f32[2]
          const %a: f32[2] = [1.0, 2.0]
          %y: f32[2] = add(%a, %x)
          output %y
        }""",
    )


def test_a_node_that_computes_an_output_stays() -> None:
    unchanged(
        FoldConstants(),
        """graph 2 "g" {
          const %a: f32[2] = [1.0, 2.0]
          %y: f32[2] = relu(%a)
          output %y
        }""",
    )


def test_a_result_above_the_limit_stays() -> None:
    text = """graph 2 "g" {
      input %x: f32[100]
      const %a: f32[1] = [1.0]
      %wide: f32[100] = pad(%a) {padding=[0,99]}
      %y: f32[100] = add(%x, %wide)
      output %y
    }"""
    unchanged(FoldConstants(max_bytes=399), text)
    assert len(FoldConstants(max_bytes=400).run(parse_graph(text)).nodes) == 1


BROADCASTS = """graph 2 "g" {
  input %x: f32[1]
  const %a: f32[10,1] = [1,1,1,1,1,1,1,1,1,1]
  const %b: f32[1,10] = [2,2,2,2,2,2,2,2,2,2]
  %c: f32[10,10] = add(%a, %b)
  %d: f32[10,10] = mul(%a, %b)
  %e: f32[10,10] = add(%c, %x)
  %y: f32[10,10] = add(%d, %e)
  output %y
}"""


def test_constants_grow_to_a_limit_that_all_results_share() -> None:
    """80 bytes are there, and 400 more with each result."""
    for limit, left in ((479, 4), (480, 3), (879, 3), (880, 2)):
        graph = FoldConstants(max_total_bytes=limit).run(parse_graph(BROADCASTS))
        assert len(graph.nodes) == left


def test_what_costs_much_to_compute_stays() -> None:
    unchanged(FoldConstants(max_work=119), BROADCASTS)
    assert len(FoldConstants(max_work=120).run(parse_graph(BROADCASTS)).nodes) == 2


def test_a_small_result_of_large_windows_costs_much() -> None:
    text = """graph 2 "g" {
      input %x: i8[1,1,1,1]<0.5, 0>
      const %a: i8[1,1,1,1]<0.5, 0> = [3]
      %wide: i8[1,40,40,1]<0.5, 0> = pad(%a) {padding=[0,0,0,39,0,39,0,0]}
      %top: i8[1,40,40,1]<0.5, 0> = max_pool2d(%wide) {window=[40,40], padding=[20,19,20,19]}
      %y: i8[1,40,40,1]<0.5, 0> = add(%x, %top)
      output %y
    }"""
    assert len(FoldConstants(max_work=2_559_999).run(parse_graph(text)).nodes) == 2
    assert len(FoldConstants(max_work=2_560_000).run(parse_graph(text)).nodes) == 1


def test_rounds_of_simplify_share_one_limit() -> None:
    """Twelve results of 2 MiB, where 16 MiB may come: each round could add as much if it counted anew."""
    lines: list[str] = []
    for i in range(12):
        lines += [f"const %a{i}: f32[512,1] = [{','.join(str(i + 2) for _ in range(512))}]"]
        lines += [f"%y{i}: f32[512,1024] = add(%a{i}, %b)"]
        lines += [f"%z{i + 1}: f32[512,1024] = mul(%z{i}, %y{i})"]
    text = f"""graph 2 "g" {{
      input %z0: f32[512,1024]
      const %b: f32[1,1024] = [{",".join("1" for _ in range(1024))}]
      {chr(10).join(lines)}
      output %z12
    }}"""
    graph = Simplify().run(parse_graph(text))
    assert len(graph.nodes) == 12 + 12 - 8
