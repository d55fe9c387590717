"""Pages of what libraries give: names of `__all__`, their signatures and docstrings, read from the sources.

Nothing is imported, so that a page is the same wherever it is written, with or without PyTorch.
"""

import ast
import copy
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_HEAD = """# {package}

{summary}

Written from signatures and docstrings by `python -m tinsmith_driver.manual api docs/api`; a test keeps it fresh.
What is not here is not public ([versions](../releases.md)).

"""
_INDEX = """# What the libraries give

Of each library the public names, with signatures and docstrings. Written by `python -m tinsmith_driver.manual api
docs/api`; a test keeps it fresh.

"""
_WIDTH = 100

_Definition = ast.ClassDef | ast.FunctionDef | ast.Assign | ast.AnnAssign | ast.ImportFrom


@dataclass(frozen=True)
class _Found:
    """A definition, or an import from another library, and text behind it: a string that stands below a constant."""

    definition: _Definition
    remark: str | None


def api_page(package: Path) -> str:
    """The page of a package, given its folder. Raises LookupError for a public name that is defined nowhere in it."""
    head = _HEAD.format(package=package.name, summary=_summary(package))
    return head + "\n".join(_entry(package, name) for name in sorted(public_names(package)))


def api_pages() -> dict[str, str]:
    """Of all libraries that Python finds, by the names of files; README.md lists them."""
    found = packages()
    index = [f"- [{package.name}]({package.name}.md): {_summary(package)}" for package in found]
    pages = {f"{package.name}.md": api_page(package) for package in found}
    return {"README.md": _INDEX + "\n".join([*index, ""]), **pages}


def packages() -> list[Path]:
    """Folders of the libraries that Python finds, by name."""
    found = {
        folder.name: folder
        for place in reversed(sys.path)
        for folder in Path(place).glob("tinsmith_*")
        if (folder / "py.typed").exists()
    }
    return [folder for _, folder in sorted(found.items())]


def _summary(package: Path) -> str:
    text = ast.get_docstring(_tree(package / "__init__.py")) or ""
    return text.split("\n\n")[0].replace("\n", " ")


def public_names(package: Path, module: str = "__init__") -> list[str]:
    """What `__all__` of a module lists, names of other modules' lists among them."""
    tree = _tree(_file(package, module))
    names: list[str] = []
    for statement in tree.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id="__all__")], value=ast.List() as value):
                names += ast.literal_eval(value)
            case ast.AnnAssign(target=ast.Name(id="__all__"), value=ast.List() as value):
                names += ast.literal_eval(value)
            case _:
                pass
    # Of modules that are passed on whole.
    for node in _imports(tree):
        if any(alias.name == "*" for alias in node.names):
            names += public_names(package, _module(package, node))
    return list(dict.fromkeys(names))


def _entry(package: Path, name: str) -> str:
    found = _find(package, "__init__", name)
    if found is None:
        raise LookupError(f"{package.name}: {name} is in __all__, and defined nowhere")
    return f"## {name}\n\n```python\n{_shown(found)}\n```\n"


def _find(package: Path, module: str, name: str) -> _Found | None:
    """The definition that a name of a module leads to."""
    path = _file(package, module)
    tree = _tree(path)
    for index, statement in enumerate(tree.body):
        if name in _defined(statement):
            assert isinstance(statement, _Definition)
            return _Found(statement, _string(tree.body[index + 1 : index + 2]))
    for node in _imports(tree):
        named = [alias for alias in node.names if name == (alias.asname or alias.name)]
        if named and not _is_own(package, node):
            return _Found(ast.ImportFrom(node.module, named, 0), None)
        inner = named[0].name if named else name
        is_whole = any(alias.name == "*" for alias in node.names)
        if named or (is_whole and _is_own(package, node)):
            found = _find(package, _module(package, node), inner)
            if found is not None:
                return found
    return None


def _is_own(package: Path, node: ast.ImportFrom) -> bool:
    return f"{node.module}.".startswith(f"{package.name}.")


def _defined(statement: ast.stmt) -> list[str]:
    match statement:
        case ast.ClassDef(name=name) | ast.FunctionDef(name=name):
            return [name]
        case ast.Assign(targets=targets):
            return [target.id for target in targets if isinstance(target, ast.Name)]
        case ast.AnnAssign(target=ast.Name(id=name)):
            return [name]
        case _:
            return []


def _string(statements: Sequence[ast.stmt]) -> str | None:
    match statements:
        case [ast.Expr(value=ast.Constant(value=str(text)))]:
            return text
        case _:
            return None


def _imports(tree: ast.Module) -> Iterator[ast.ImportFrom]:
    """Those of the module itself, and those that only checkers see."""
    for statement in tree.body:
        body = statement.body if isinstance(statement, ast.If) else [statement]
        yield from (node for node in body if isinstance(node, ast.ImportFrom))


def _module(package: Path, node: ast.ImportFrom) -> str:
    return str(node.module).removeprefix(package.name).strip(".") or "__init__"


def _file(package: Path, module: str) -> Path:
    path = package.joinpath(*module.split("."))
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def _tree(path: Path) -> ast.Module:
    return _parsed(path.read_text(encoding="utf-8"))


@cache
def _parsed(source: str) -> ast.Module:
    """Once of a module, which many names lead through; nobody changes what comes back."""
    return ast.parse(source)


def _shown(found: _Found) -> str:
    match found.definition:
        case ast.ClassDef() as class_:
            return "\n".join(_class(class_))
        case ast.FunctionDef() as function:
            return "\n".join(_function(function, ""))
        case ast.Assign() | ast.AnnAssign() as constant:
            text = _shortened(ast.unparse(constant))
            remark = _documentation(found.remark, "") if found.remark else []
            return "\n".join([text, *remark])
        case ast.ImportFrom() as elsewhere:
            return ast.unparse(elsewhere)


def _shortened(text: str) -> str:
    """The value of a constant on one line, its end left out if it is long."""
    return text if len(text) <= _WIDTH else f"{text[: _WIDTH - 4]} ..."


def _class(class_: ast.ClassDef) -> Iterator[str]:
    """Decorators, bases, docstring, fields and what of the methods is public."""
    yield from (f"@{ast.unparse(decorator)}" for decorator in class_.decorator_list)
    bases = ", ".join(ast.unparse(base) for base in [*class_.bases, *class_.keywords])
    yield f"class {class_.name}({bases}):" if bases else f"class {class_.name}:"
    yield from _documentation(ast.get_docstring(class_), "    ")
    for index, statement in enumerate(class_.body):
        match statement:
            case ast.AnnAssign() | ast.Assign() if not _is_private(statement):
                yield f"    {_shortened(ast.unparse(statement))}"
                remark = _string(class_.body[index + 1 : index + 2])
                yield from _documentation(remark, "    ") if remark else []
            case ast.FunctionDef(name=name) as method if not name.startswith("_"):
                yield ""
                yield from _function(method, "    ")
            case _:
                pass


def _is_private(statement: ast.stmt) -> bool:
    return all(name.startswith("_") for name in _defined(statement))


def _function(function: ast.FunctionDef, indent: str) -> Iterator[str]:
    yield from (f"{indent}@{ast.unparse(decorator)}" for decorator in function.decorator_list)
    bare = copy.copy(function)
    bare.decorator_list, bare.body = [], [ast.Expr(ast.Constant(...))]
    line = ast.unparse(bare).split("\n")[0]
    if len(indent + line) > _WIDTH:
        yield from _wrapped(bare, indent)
    else:
        yield indent + line
    yield from _documentation(ast.get_docstring(function), f"{indent}    ")


def _wrapped(function: ast.FunctionDef, indent: str) -> Iterator[str]:
    """A parameter on each line."""
    yield f"{indent}def {function.name}("
    arguments = function.args
    positional = [*arguments.posonlyargs, *arguments.args]
    defaults = [None] * (len(positional) - len(arguments.defaults)) + list(arguments.defaults)
    for index, (argument, default) in enumerate(zip(positional, defaults, strict=True), start=1):
        yield _parameter(argument, default, indent)
        if index == len(arguments.posonlyargs):
            yield f"{indent}    /,"
    if arguments.vararg is not None:
        yield f"{indent}    *{ast.unparse(arguments.vararg)},"
    elif arguments.kwonlyargs:
        yield f"{indent}    *,"
    for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        yield _parameter(argument, default, indent)
    if arguments.kwarg is not None:
        yield f"{indent}    **{ast.unparse(arguments.kwarg)},"
    returned = f" -> {ast.unparse(function.returns)}" if function.returns is not None else ""
    yield f"{indent}){returned}:"


def _parameter(argument: ast.arg, default: ast.expr | None, indent: str) -> str:
    value = "" if default is None else f" = {ast.unparse(default)}"
    return f"{indent}    {ast.unparse(argument)}{value},"


def _documentation(text: str | None, indent: str) -> list[str]:
    """A docstring as it stands in sources, or what stands for none."""
    if not text:
        return [f"{indent}..."]
    lines = text.strip().split("\n")
    quoted = [f'"""{lines[0]}', *lines[1:]]
    quoted[-1] += '"""' if len(quoted) == 1 else ""
    quoted += ['"""'] if len(quoted) > 1 else []
    return [f"{indent}{line}".rstrip() for line in quoted]
