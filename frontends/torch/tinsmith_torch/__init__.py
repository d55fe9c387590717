"""Import of programs that `torch.export` wrote, as verified `tinsmith_ir` Graphs."""

__all__: list[str] = []
