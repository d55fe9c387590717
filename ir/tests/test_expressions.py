import pytest
from tinsmith_ir.errors import GraphError
from tinsmith_ir.expressions import Counter, Expression, Modulo, Table, Term

_TURNING = Modulo(Expression(1, (Term(2, Counter("j")),)), 3)
_ALL = Expression(5, (Term(16, Counter("i")), Term(-4, _TURNING), Term(1, Table("j", (7, 9)))))


def test_counters_may_be_called_otherwise() -> None:
    renamed = _ALL.renamed({"i": "row", "j": "column"})
    assert renamed.counters == {"row", "column"}
    for i in range(3):
        for j in range(2):
            assert renamed.value({"row": i, "column": j}) == _ALL.value({"i": i, "j": j})
    assert renamed.renamed({"row": "i", "column": "j"}) == _ALL


def test_a_counter_without_a_name_is_refused() -> None:
    with pytest.raises(GraphError, match="counter j is read outside of its loop"):
        _ALL.renamed({"i": "row"})
