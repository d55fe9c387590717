"""Which engine computes which layer, as the pass that placed them decided, for reports."""

from tinsmith_lowering import PlacementPlan

from tinsmith_driver.compilation import Compilation
from tinsmith_driver.report_types import PlacementFacts
from tinsmith_driver.table import fitted_table, thousands


def placement_facts(compilation: Compilation) -> PlacementFacts | None:
    """For the report; None where there was nothing to choose, or nobody asked what is fast."""
    plan = compilation.facts(PlacementPlan)
    if plan is None:
        return None
    return {
        "status": plan.status,
        "modelled": plan.cycles,
        "bound": plan.bound,
        "others": plan.others,
        "layers": [
            {
                "name": layer.name,
                "engine": layer.engine,
                "modelled": dict(layer.cycles),
                "fetched": dict(layer.fetch_cycles),
            }
            for layer in plan.layers
        ],
    }


def placement_text(placement: PlacementFacts) -> str:
    """A line for people: how many layers each engine has, of those that several can compute."""
    engines = dict.fromkeys(name for layer in placement["layers"] for name in layer["modelled"])
    counts = {
        name: sum(layer["engine"] == name for layer in placement["layers"]) for name in engines
    }
    shares = ", ".join(f"{thousands(count)} on {name}" for name, count in counts.items())
    return (
        f"engines: {shares}, of layers that several can compute; {placement['status']} by the model"
    )


def placement_table(placement: PlacementFacts) -> str:
    """One line a layer: the modelled cycles of each engine, and what is brought for it before."""
    engines = list(
        dict.fromkeys(name for layer in placement["layers"] for name in layer["modelled"])
    )
    header = ["placed layer", "engine"]
    header += [column for name in engines for column in (name, "fetched")]
    rows = [
        [layer["name"], layer["engine"]]
        + [
            thousands(cycles[name]) if name in cycles else "-"
            for name in engines
            for cycles in (layer["modelled"], layer["fetched"])
        ]
        for layer in placement["layers"]
    ]
    return fitted_table(header, rows)
