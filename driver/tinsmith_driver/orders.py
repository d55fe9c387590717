"""The order of execution: what the report says of how good it is."""

from tinsmith_ir.passes import Ordered

from tinsmith_driver.compilation import Compilation
from tinsmith_driver.report_types import OrderFacts
from tinsmith_driver.table import thousands


def order_facts(compilation: Compilation) -> OrderFacts | None:
    """None if no pass chose an order; of several the last one that did."""
    for record in reversed(compilation.pass_records):
        if isinstance(record.facts, Ordered):
            peak, bound = record.facts.peak_bytes, record.facts.lower_bound
            return {
                "peak": peak,
                "lower_bound": bound,
                "status": "optimal" if peak == bound else "feasible",
                "gap": 1 - bound / peak if peak else 0.0,
                "found_by": record.found_by,
            }
    return None


def order_text(facts: OrderFacts) -> str:
    """Status, and how far the bound is from the peak."""
    if facts["status"] == "optimal":
        return f"optimal, {facts['found_by']}"
    bound = thousands(facts["lower_bound"])
    return f"feasible, {facts['found_by']}, bound {bound}, gap {facts['gap']:.1%}"
