"""The C of steps beside the core: what is kept of each until it is waited for, how it is started, how it ends."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace

from tinsmith_ir.expressions import Expression
from tinsmith_ir.layouts import layout_bytes
from tinsmith_ir.program import Call, Copy, Wait

from tinsmith_c.copies import CopyWriter
from tinsmith_c.engines import Drive, Engines, Started
from tinsmith_c.functions import Functions
from tinsmith_c.layout import Layout, c_expression, c_name, counter_name, layer_output
from tinsmith_c.names import c_identifier
from tinsmith_c.scope import ConstantPool
from tinsmith_c.text import comment_lines, wrapped_call


def layer_done(
    layout: Layout, call: Call, indent: str, arena: str, holder: str = "", number: str = ""
) -> str:
    """The hook behind a call, with its result where the core reaches it. arena, holder: as of `Layout.address`. number:
    of the call, where C works it out.
    """
    output = layer_output(call)
    view = layout.program.view[output]
    if layout.program.is_remote(output):
        result = "NULL", "0u"
    else:
        size = layout_bytes(view.layout, view.type)
        result = layout.address(output, arena, holder), f"{size}u"
    arguments = [number or f"{layout.numbers[call.name]}u", *result]
    return wrapped_call(f"{indent}TINSMITH_LAYER_DONE(", arguments, ");")


@dataclass(frozen=True)
class JobWriter:
    """Steps beside the core. failing: names of the calls whose functions return a status."""

    layout: Layout
    functions: Functions
    pool: ConstantPool
    engines: Engines
    failing: Collection[str]

    def definitions(self) -> list[str]:
        """What stands between the layers' functions and the run function: the struct, and a function for each job."""
        if not self.engines.kept:
            return []
        return [
            self._struct(),
            *(text for one in self.engines.kept for text in self._functions(one)),
        ]

    def declarations(self) -> Iterator[str]:
        """In the run function: what is kept, by token."""
        if places := len(self.engines.tokens):
            yield f"{self._type} jobs[{places}];"
        if tickets := len(self.engines.tickets):
            yield f"uint32_t fetches[{tickets}];"

    def start(self, started: Started, indent: str) -> Iterator[str]:
        """Fill its place and start it."""
        token = _token(started.token)
        place = self._place(started.token)
        if started.drive in (Drive.DMA, Drive.FETCH):
            assert isinstance(started.step, Copy)
            if started in self.engines.marked:
                yield f"{indent}{place}.step = {started.number}u;"
            writer = CopyWriter(self.layout, self.pool)
            if started.drive is Drive.FETCH:
                yield from writer.fetch(started.step, indent, self._ticket(started.token))
            else:
                yield from writer.copy(started.step, indent, token)
            return
        memories = self.layout.argument
        yield f"{indent}{{  // {_title(started)}"
        yield f"{indent}  {self._type} *const job = &{place};"
        yield f"{indent}  job->{self._memories} = {memories};"
        for counter in self._counters(started):
            yield f"{indent}  job->{counter} = {counter};"
        if started in self.engines.marked:
            yield f"{indent}  job->step = {started.number}u;"
        if started.drive is Drive.JOB:
            yield f"{indent}  job->job.run = {self._job_name(started)};"
            engine = self.layout.engine_macros[started.engine]
            yield f"{indent}  tinsmith_engine_start({engine}, &job->job);"
        else:
            assert isinstance(started.step, Call)
            name = self.functions.of(started.step).name
            arguments = [memories, *self._counters(started), "job->token"]
            yield f"{indent}  job->token = {token};"
            yield wrapped_call(f"{indent}  {name}_start(", arguments, ");")
        yield f"{indent}}}"

    def wait(self, wait: Wait, indent: str) -> Iterator[str]:
        """The end of what was started with the token; of one step or another, as its place says."""
        ends: dict[object, list[Started]] = {}
        for started in self.engines.ended_by(wait):
            ends.setdefault(started.ending, []).append(started)
        groups = [*ends.values()]
        if len(groups) == 1:
            yield self._end(groups[0][0], wait, indent)
        elif groups:
            yield f"{indent}switch ({self._place(wait.token)}.step) {{"
            for group in groups:
                if group is groups[-1]:
                    yield f"{indent}  default:"
                else:
                    yield from (f"{indent}  case {started.number}u:" for started in group)
                yield self._end(group[0], wait, f"{indent}    ")
                yield f"{indent}    break;"
            yield f"{indent}}}"

    @property
    def _type(self) -> str:
        return f"{c_name(self.layout.program)}_job_t"

    @property
    def _memories(self) -> str:
        return "arena" if self.layout.has_one_base else "memories"

    def _struct(self) -> str:
        can_fail = any(self._refuses(one) and one.drive is Drive.JOB for one in self.engines.kept)
        members = [
            *(["tinsmith_job_t job"] if self.engines.drives(Drive.JOB) else []),
            self.layout.parameter,
            *self._counter_members(),
            *(["uint32_t step"] if self.engines.marked else []),
            *(["uint32_t token"] if self.engines.drives(Drive.KERNEL) else []),
            *(["int refused"] if can_fail else []),
        ]
        title = "A step beside the core until it is waited for: the memories, and where the loops around it were."
        return "\n".join(
            [
                *comment_lines(title),
                "typedef struct {",
                *(f"  {member};" for member in members),
                f"}} {self._type};",
            ]
        )

    def _counter_members(self) -> Iterator[str]:
        """Those of the loops around the steps; counters share a place that no step wants together, since there may be
        as many loops as layers.
        """
        together = [{*self.layout.moved_by(one.step)} for one in self.engines.kept]
        places: list[list[str]] = []
        for counter in self.layout.moved_by(*(one.step for one in self.engines.kept)):
            beside = set[str]().union(*(names for names in together if counter in names))
            free = (place for place in places if beside.isdisjoint(place))
            place = next(free, None)
            if place is None:
                places.append([counter])
            else:
                place.append(counter)
        for place in places:
            members = [f"int32_t {counter_name(counter)}" for counter in place]
            if len(members) == 1:
                yield members[0]
            else:
                yield "\n".join(["union {", *(f"    {member};" for member in members), "  }"])

    def _functions(self, started: Started) -> Iterator[str]:
        if started.drive is Drive.JOB:
            yield self._job(started)
        if isinstance(started.step, Call):
            yield self._end_function(started, started.step)

    def _job(self, started: Started) -> str:
        step = started.step
        lines = [
            f"static void {self._job_name(started)}(tinsmith_job_t *started) {{",
            f"  {self._type} *const job = ({self._type} *)(void *)started;",
        ]
        if isinstance(step, Copy):
            writer = CopyWriter(self.layout, self.pool, "arena", "job->")
            lines += writer.copy(step, "  ")
        else:
            note = "job->refused = " if self._refuses(started) else ""
            name = f"{note}{self.functions.of(step).name}("
            lines.append(wrapped_call(f"  {name}", self._kept_arguments(started), ");"))
        return "\n".join([*lines, "}"])

    def _end_function(self, started: Started, call: Call) -> str:
        """Waits, and tells the hook: the result is there now, where the loops were then."""
        layout = self.layout
        returned = "int" if self._refuses(started) else "void"
        name = self.functions.of(call).name
        done = layer_done(layout, call, "  ", "arena", "job->")
        if started.drive is Drive.JOB:
            engine = layout.engine_macros[started.engine]
            lines = [
                f"static {returned} {name}_end({self._type} *job) {{",
                f"  tinsmith_engine_wait({engine}, &job->job);",
                done,
                *(["  return job->refused;"] if self._refuses(started) else []),
            ]
        else:
            note = "const int refused = " if self._refuses(started) else ""
            lines = [
                f"static {returned} {name}_end(const {self._type} *job) {{",
                wrapped_call(
                    f"  {note}{name}_wait(", [*self._kept_arguments(started), "job->token"], ");"
                ),
                done,
                *(["  return refused;"] if self._refuses(started) else []),
            ]
        return "\n".join([*lines, "}"])

    def _end(self, started: Started, wait: Wait, indent: str) -> str:
        """The statement that ends it."""
        if started.drive is Drive.DMA:
            is_fifo = self.layout.program.engine[started.engine].is_fifo
            function = "tinsmith_dma_wait" if is_fifo else "tinsmith_dma_wait_unordered"
            return f"{indent}{function}({_token(wait.token)});"
        if started.drive is Drive.FETCH:
            return f"{indent}tinsmith_fetch_wait({self._ticket(wait.token)});"
        place = self._place(wait.token)
        if isinstance(started.step, Copy):
            arguments = [self.layout.engine_macros[started.engine], f"&{place}.job"]
            return wrapped_call(f"{indent}tinsmith_engine_wait(", arguments, ");")
        note = "refused |= " if self._refuses(started) else ""
        return f"{indent}{note}{self.functions.of(started.step).name}_end(&{place});"

    def _refuses(self, started: Started) -> bool:
        return isinstance(started.step, Call) and started.step.name in self.failing

    def _job_name(self, started: Started) -> str:
        if isinstance(started.step, Call):
            return f"{self.functions.of(started.step).name}_job"
        return f"copy_{started.number}_job"

    def _counters(self, started: Started) -> list[str]:
        return [*map(counter_name, self.layout.moved_by(started.step))]

    def _kept_arguments(self, started: Started) -> list[str]:
        return [f"job->{name}" for name in (self._memories, *self._counters(started))]

    def _ticket(self, token: Expression) -> str:
        """Of the fetch that was started with that token."""
        index = replace(token, base=token.base - self.engines.tickets.start)
        return f"fetches[{c_expression(index)}]"

    def _place(self, token: Expression) -> str:
        """Of what was started with that token."""
        index = replace(token, base=token.base - self.engines.tokens.start)
        return f"jobs[{c_expression(index)}]"


def _token(token: Expression) -> str:
    return f"(uint32_t)({c_expression(token)})"


def _title(started: Started) -> str:
    step = started.step
    what = step.name if isinstance(step, Call) else f"copy {step.source} to {step.destination}"
    return f"{c_identifier(what)} on {c_identifier(started.engine)}"
