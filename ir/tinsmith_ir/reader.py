"""The pieces that Graph and Program text share: words, types, attributes, constant data."""

import base64
import binascii
import dataclasses
import enum
import typing
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from typing import NoReturn, TypeVar, cast

import numpy as np

from tinsmith_ir.dtypes import DType
from tinsmith_ir.errors import GraphError, ParseError
from tinsmith_ir.expressions import Counter, Expression, Modulo, Table, Term
from tinsmith_ir.few_bits import unpacked
from tinsmith_ir.graph import Array
from tinsmith_ir.lexer import Token, tokens
from tinsmith_ir.operators import OPERATORS
from tinsmith_ir.operators.base import Operator
from tinsmith_ir.printer import VERSION
from tinsmith_ir.types import Quantization, TensorType

_Item = TypeVar("_Item", int, float, bool)
_MAX_INTEGER_DIGITS = 20
_MAX_RANK = 16
_SHOWN = 80


class Reader:
    """A position in the tokens of a text. Every method raises ParseError if the text differs."""

    def __init__(self, text: str) -> None:
        """At the first token of `text`."""
        self._tokens = tokens(text)
        self.token: Token = next(self._tokens)

    def fail(self, expected: str) -> NoReturn:
        """Raise ParseError at the current token."""
        raise self.error_at(self.token, expected, repr(self.token.text[:60]))

    def error_at(self, token: Token, expected: str, got: str) -> ParseError:
        """A ParseError at `token`; of a long text that came, the beginning."""
        got = got if len(got) <= _SHOWN else f"{got[:_SHOWN]}..."
        return ParseError(
            f"line {token.line}, column {token.column}: expected {expected}, got {got}"
        )

    def _next(self) -> str:
        text = self.token.text
        self.token = next(self._tokens)
        return text

    def _expect(self, kind: str, expected: str) -> str:
        if self.token.kind != kind:
            self.fail(expected)
        return self._next()

    def at(self, punctuation: str) -> bool:
        """True if the next token is that punctuation."""
        return self.token.kind == "punctuation" and self.token.text == punctuation

    def at_name(self) -> bool:
        """True if the next token is a %name."""
        return self.token.kind == "name"

    def at_number(self) -> bool:
        """True if the next token is a number."""
        return self.token.kind == "number"

    def accept(self, punctuation: str) -> bool:
        """Step over that punctuation if it is next."""
        found = self.at(punctuation)
        if found:
            self._next()
        return found

    def accept_word(self, word: str) -> bool:
        """Step over that word if it is next."""
        found = self.token.kind == "word" and self.token.text == word
        if found:
            self._next()
        return found

    def punctuation(self, text: str) -> None:
        """Step over that punctuation."""
        if not self.accept(text):
            self.fail(repr(text))

    def word(self, text: str) -> None:
        """Step over that word."""
        if not self.accept_word(text):
            self.fail(repr(text))

    def keyword(self, *words: str) -> str:
        """One of `words`."""
        if self.token.kind != "word" or self.token.text not in words:
            self.fail(" or ".join(repr(word) for word in words))
        return self._next()

    def arrow(self) -> None:
        """`->`"""
        self._expect("arrow", "'->'")

    def end(self) -> None:
        """The end of the text."""
        if self.token.kind != "end":
            self.fail("the end of the text")

    def at_string(self) -> bool:
        """True if the next token is a string."""
        return self.token.kind == "string"

    def name(self) -> str:
        """`%name`, or `%"first part" "second part"`."""
        pieces = [self._expect("name", "a %name")]
        while self.at_string():
            pieces.append(self._next())
        return "".join(pieces)

    def string(self) -> str:
        """`"text"`, or `"te" "xt"`."""
        pieces = [self._expect("string", "a string")]
        while self.at_string():
            pieces.append(self._next())
        return "".join(pieces)

    def identifier(self, what: str) -> str:
        """A word of letters, digits and underscores that means no number: `what`, for the message."""
        return self._expect("word", what)

    def head(self, word: str) -> str:
        """`graph 2 "name"`: what the text is, the version of its form, and the name.

        Raises ParseError for a text that another version of the tool wrote, too.
        """
        self.word(word)
        token = self.token
        version = self.integer() if self.at_number() else 1
        if version != VERSION:
            raise self.error_at(
                token,
                f"version {VERSION} of the text, `{word} {VERSION} ...`",
                f"version {version}: write the file again with this version of tinsmith",
            )
        return self.string()

    def expression(self) -> Expression:
        """`768*((i+1) mod 2)+12`"""
        found = self._term()
        while self.accept("+") or (self.token.kind == "number" and self.token.text.startswith("-")):
            term = self._term()
            found = Expression(found.base + term.base, found.terms + term.terms)
        return found

    def _term(self) -> Expression:
        """`4*i`, `(i+1) mod 2`, which is `((i+1) mod 2)`."""
        found = self._product()
        while self.accept_word("mod"):
            found = Expression(0, (Term(1, Modulo(found, self._positive())),))
        return found

    def _product(self) -> Expression:
        if self.token.kind != "number":
            return self._factor()
        number = self.integer()
        if not self.accept("*"):
            return Expression(number)
        factor = self._factor()
        terms = tuple(Term(number * term.times, term.factor) for term in factor.terms)
        return Expression(number * factor.base, terms)

    def _factor(self) -> Expression:
        """A counter, `(expression)`, or `table(i: 1, 0, 0)`."""
        if self.accept("("):
            inner = self.expression()
            self.punctuation(")")
            return inner
        name = self.identifier("a number, a counter, table or '('")
        if name != "table":
            return Expression(0, (Term(1, Counter(name)),))
        self.punctuation("(")
        counter = self.identifier("a counter")
        self.punctuation(":")
        values = [self.integer()]
        while self.accept(","):
            values.append(self.integer())
        self.punctuation(")")
        return Expression(0, (Term(1, Table(counter, tuple(values))),))

    def _positive(self) -> int:
        token = self.token
        number = self.integer()
        if number < 1:
            raise self.error_at(token, "a modulus of at least 1", str(number))
        return number

    def integer(self) -> int:
        """A decimal integer."""
        token = self.token
        text = self._expect("number", "an integer")
        digits = text.removeprefix("-")
        if not digits.isdecimal() or len(digits) > _MAX_INTEGER_DIGITS:
            raise self.error_at(token, "an integer", repr(text[:60]))
        return int(text)

    def real(self) -> float:
        """A number, also inf and nan."""
        return float(self._expect("number", "a number"))

    def tensor_type(self) -> TensorType:
        """`i8[1,4]<0.5, -3>`"""
        dtype = self._dtype()
        token = self.token
        shape = tuple(self.integers())
        if len(shape) > _MAX_RANK or min(shape, default=1) < 1:
            expected = f"at most {_MAX_RANK} dimensions of at least 1"
            raise self.error_at(token, expected, str(list(shape))[:60])
        return TensorType(shape, dtype, self._quantization())

    def _dtype(self) -> DType:
        names = [dtype.value for dtype in DType]
        return DType(self.keyword(*names))

    def integers(self) -> list[int]:
        """`[1, 2]`"""
        return self._list(self.integer)

    def _reals(self) -> list[float]:
        return self._list(self.real)

    def _list(self, item: Callable[[], _Item]) -> list[_Item]:
        """`[item, item]`"""
        self.punctuation("[")
        values: list[_Item] = []
        while not self.accept("]"):
            values.append(item())
            if not self.at("]"):
                self.punctuation(",")
        return values

    def _boolean(self) -> bool:
        return self.keyword("true", "false") == "true"

    def _quantization(self) -> Quantization | None:
        token = self.token
        if not self.accept("<"):
            return None
        try:
            return self._scales()
        except GraphError as error:
            raise ParseError(f"line {token.line}, column {token.column}: {error}") from None

    def _scales(self) -> Quantization:
        """What stands behind the `<`."""
        if not self.at("["):
            scale = self.real()
            self.punctuation(",")
            zero_point = self.integer()
            self.punctuation(">")
            return Quantization((scale,), (zero_point,))
        scales = self._reals()
        self.punctuation(",")
        zero_points = self.integers()
        axis = None
        if self.accept(","):
            self.word("axis")
            axis = self.integer()
        self.punctuation(">")
        return Quantization(tuple(scales), tuple(zero_points), axis)

    def operator_class(self) -> type[Operator]:
        """A mnemonic."""
        token = self.token
        mnemonic = self._expect("word", "an operator")
        found = OPERATORS.get(mnemonic)
        if found is None:
            raise self.error_at(token, _operators_like(mnemonic), repr(mnemonic))
        return found

    def attributes(self, operator_class: type[Operator]) -> Operator:
        """`{name=value, ...}` if it is there, as the operator with these attributes."""
        hints: Mapping[str, object] = typing.get_type_hints(operator_class)
        names = [field.name for field in dataclasses.fields(operator_class)]
        values: dict[str, object] = {}
        if self.accept("{"):
            while not self.accept("}"):
                token = self.token
                name = self._expect("word", "an attribute")
                if name not in names or name in values:
                    known = ", ".join(names) or "none"
                    raise self.error_at(token, f"each attribute once of: {known}", repr(name))
                self.punctuation("=")
                values[name] = self._attribute(hints[name])
                if not self.at("}"):
                    self.punctuation(",")
        make = cast("Callable[..., Operator]", operator_class)
        return make(**values)

    def _attribute(self, hint: object) -> object:
        """A value of the attribute's declared type."""
        if typing.get_origin(hint) is tuple:
            return self._tuple(hint)
        if hint is bool:
            return self._boolean()
        if isinstance(hint, type) and issubclass(hint, enum.Enum):
            members = {str(member.value): member for member in hint}
            return members[self.keyword(*members)]
        for member in typing.get_args(hint):
            if isinstance(member, type) and issubclass(member, enum.Enum):
                return None if self.accept_word("none") else self._attribute(member)
        return self._scalar(set(typing.get_args(hint)) or {hint})

    def _scalar(self, allowed: set[object]) -> int | float | None:
        """A number or none, of what is allowed; digits alone are an integer where one may be."""
        token = self.token
        if type(None) in allowed and self.accept_word("none"):
            return None
        if int in allowed and (float not in allowed or token.text.lstrip("-").isdecimal()):
            return self.integer()
        return self.real()

    def _tuple(self, hint: object) -> tuple[int, ...]:
        token = self.token
        values = tuple(self.integers())
        arguments = typing.get_args(hint)
        if arguments[-1] is not Ellipsis and len(values) != len(arguments):
            raise self.error_at(token, f"{len(arguments)} integers", str(len(values)))
        return values

    def data(self, type_: TensorType) -> Array:
        """The elements of a constant: `[1, 2]` or `base64 "..."`."""
        token = self.token
        if self.accept_word("summary"):
            raise self.error_at(
                token, "constant data", "a summary; print them inline to parse again"
            )
        if self.accept_word("base64"):
            return self._base64(type_)
        values = self._elements(type_.dtype)
        if len(values) != type_.elements:
            raise self.error_at(token, f"{type_.elements} elements", str(len(values)))
        try:
            with np.errstate(over="ignore"):
                array = np.array(values, type_.dtype.numpy)
        except OverflowError:
            raise self.error_at(token, f"elements of {type_.dtype.value}", "larger ones") from None
        return array.reshape(type_.shape)

    def _elements(self, dtype: DType) -> list[int] | list[float] | list[bool]:
        if dtype is DType.FLOAT32:
            return self._reals()
        if dtype is not DType.BOOL:
            return self.integers()
        return self._list(self._boolean)

    def _base64(self, type_: TensorType) -> Array:
        token = self.token
        try:
            content = base64.b64decode(self.string().encode(), validate=True)
        except (binascii.Error, UnicodeEncodeError) as error:
            raise self.error_at(token, "base64", str(error)) from None
        if len(content) != type_.size_bytes:
            raise self.error_at(token, f"{type_.size_bytes} bytes", str(len(content)))
        if type_.dtype is DType.BOOL and set(content) - {0, 1}:
            raise self.error_at(token, "bytes 0 and 1 of a bool", "others")
        if type_.dtype.is_packed:
            return unpacked(np.frombuffer(content, np.uint8), type_.shape, type_.dtype)
        array = np.frombuffer(content, type_.dtype.numpy).reshape(type_.shape)
        return cast("Array", array)


def _operators_like(word: str) -> str:
    """What to write instead: there are too many operators to name them all."""
    near = get_close_matches(word, OPERATORS, cutoff=0.4)
    return "an operator" + (f", such as {' or '.join(near)}" if near else "")
