"""A few random networks through every pass, each checked; driver/tools/random_networks.py tries as many as wanted."""

from dataclasses import dataclass, replace
from typing import ClassVar

import pytest
from random_networks import TARGETS, Tried
from tinsmith_driver import passes
from tinsmith_driver.plugins import registry
from tinsmith_ir import BIT_EXACT, Contract, Graph
from tinsmith_plugins import Found, PassEntry, Plugin, Registry, Stage


def test_every_pass_keeps_its_contract() -> None:
    tried = Tried()
    for seed in range(len(TARGETS) * 3):
        tried.compile(seed, TARGETS)
    assert tried.failures == []
    assert tried.compiled == len(TARGETS) * 3
    assert {"simplify", "lower", "allocate-buffers"} <= tried.checked.keys()


@dataclass(frozen=True)
class LoseNode:
    """Forgets the last node of a graph."""

    name: ClassVar[str] = "lose-node"
    contract: ClassVar[Contract] = BIT_EXACT

    def run(self, graph: Graph) -> Graph:
        """Without it."""
        return replace(graph, nodes=graph.nodes[:-1])


def test_a_broken_contract_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    found = Found(Plugin("test", passes=(PassEntry(LoseNode, Stage.FUSION),)), "test:PLUGIN")
    together = Registry((*registry().plugins, found))
    monkeypatch.setattr(passes, "registry", lambda: together)
    tried = Tried()
    tried.compile(0, ("host",))
    assert tried.compiled == 0
    assert len(tried.failures) == 1
    assert "seed 0" in tried.failures[0]
    assert "lose-node" in tried.failures[0]
