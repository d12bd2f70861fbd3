"""Values of a TOML file, taken one by one; what is missing, wrong or left over is named with its line."""

import re
from collections.abc import Callable
from functools import cache, cached_property
from typing import Any, TypeVar

import tomli

from ...errors import FileError, ModelError
from ..bounds import LARGEST_NUMBER, number_fault
from ..file_source import Source
from . import toml_lines
from .toml_lines import Path as Way

T = TypeVar("T")
REQUIRED: Any = object()
_LONG_NUMBER = re.compile(r"\b[0-9_]{4301}")


class Document:
    """A file, and where its tables and keys stand.

    Args:
        source: Its path, named in errors, and its content.
    """

    def __init__(self, source: Source) -> None:
        path, data = source.path, source.data
        self.path = path
        try:
            text = data.decode("utf-8").replace("\r\n", "\n")
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            raise FileError(path, "is not UTF-8 text, which TOML requires", line) from None
        try:
            toml_lines.check_depth(text)
            content = tomli.loads(text)
        except toml_lines.TooDeepError as error:
            raise FileError(
                path, "is not a Whippletree file: it is nested too deeply", error.args[0]
            ) from None
        except tomli.TOMLDecodeError as error:
            raise FileError(path, f"is not TOML: {error}", _syntax_line(str(error), text)) from None
        except RecursionError:
            raise FileError(path, "is not a Whippletree file: it is nested too deeply") from None
        except ValueError as error:  # a whole number of thousands of digits
            raise FileError(path, f"is not TOML: {error}", _long_number_line(text)) from None
        self._text = text
        self.top: TomlTable = TomlTable(self, content, ())

    @cached_property
    def _lines(self) -> dict[Way, int]:
        """On use: a file without faults needs none."""
        return toml_lines.lines(self._text, deepest=len(self._text))  # `tomli` has managed

    def line(self, way: Way) -> int | None:
        """The line of a value."""
        return toml_lines.line_of(self._lines, way)

    def error(self, way: Way, message: str) -> FileError:
        """The error that says what is wrong, and on which line."""
        return FileError(self.path, message, self.line(way))

    def at(self, way: Way) -> "At":
        """Whatever is impossible in the model is so because of this line."""
        return At(self, way)


class At:
    """A context in which what a model refuses becomes the error of a line."""

    # No generator, as of `contextmanager`: large files have one around every table.
    __slots__ = ("_document", "_way")

    def __init__(self, document: Document, way: Way) -> None:
        self._document = document
        self._way = way

    def __enter__(self) -> None:
        """Nothing is to be done before."""

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, ModelError):
            raise self._document.error(self._way, str(error)) from None


def _syntax_line(message: str, text: str) -> int:
    """The line that `tomli` names: "… (at line 3, column 7)" or "… (at end of document)"."""
    place = message.rpartition("at line ")[2].partition(",")[0]
    return int(place) if place.isdigit() else text.count("\n") + 1


def _long_number_line(text: str) -> int | None:
    match = _LONG_NUMBER.search(text)
    return None if match is None else text.count("\n", 0, match.start()) + 1


class TomlTable:
    """A table of a document, whose keys are taken once each."""

    __slots__ = ("_data", "_known", "document", "way")

    def __init__(self, document: Document, data: dict[str, Any], way: Way) -> None:
        self.document = document
        self.way = way
        self._data = data
        self._known: list[str] = []

    def take(self, key: str, read: Callable[[Any], T], default: T = REQUIRED) -> T:
        """The value of a key, read by a function that raises ValueError with what it expected."""
        self._known.append(key)
        value = self._data.get(key)  # which is never None: TOML has no such value
        if value is None:
            if default is REQUIRED:
                raise self.document.error(self.way, f"{self._title()} has no {key!r}, which it needs")
            return default
        try:
            return read(value)
        except ModelError as error:
            raise self.document.error((*self.way, key), str(error)) from None
        except ValueError as error:
            raise self.document.error((*self.way, key), f"{key} is {_short(value)}: {error}") from None

    def table(self, key: str) -> "TomlTable | None":
        """The table of a key, if it is there."""
        data = self.take(key, _table, None)
        return None if data is None else TomlTable(self.document, data, (*self.way, key))

    def tables(self, key: str) -> list["TomlTable"]:
        """The tables of an array of tables."""
        data = self.take(key, _array_of_tables, [])
        return [TomlTable(self.document, entry, (*self.way, key, i)) for i, entry in enumerate(data)]

    def look(self, key: str) -> Any:
        """The value of a key as it stands, be it taken or not; None if there is none."""
        return self._data.get(key)

    def left_over(self) -> list[FileError]:
        """What nobody took, which has no meaning."""
        return [self._unknown(key) for key in self._data if key not in self._known]

    def done(self) -> None:
        """Refuse what nobody took."""
        for key in self._data:
            if key not in self._known:
                raise self._unknown(key)

    def _unknown(self, key: str) -> FileError:
        message = f"{self._title()} has the unknown key {key!r}; known: {', '.join(self._known)}"
        return self.document.error((*self.way, key), message)

    def _title(self) -> str:
        keys = [part for part in self.way if isinstance(part, str)]
        return f"[{'.'.join(keys)}]" if keys else "the file"


def _short(value: Any) -> str:
    try:
        shown = repr(value)
    except ValueError:  # a whole number of thousands of digits
        shown = "…"
    return shown if len(shown) <= 60 else shown[:57] + "…"


def _table(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError("expected a table, as { … }")
    return value


def _array_of_tables(value: Any) -> list[dict[str, Any]]:
    if not isinstance(value, list) or not all(isinstance(entry, dict) for entry in value):
        raise ValueError("expected tables, each under a header in double brackets")
    return value


def text(value: Any) -> str:
    """A string."""
    if not isinstance(value, str):
        raise ValueError("expected text in quotes")
    return value


def texts(value: Any) -> tuple[str, ...]:
    """A list of strings."""
    if not isinstance(value, list):
        raise ValueError("expected a list of texts in quotes")
    return tuple(map(text, value))


def number(value: Any) -> float:
    """A finite number, whole or not, as a float."""
    return _number(value, infinite=False)


def bound(value: Any) -> float:
    """A number that may be infinite."""
    return _number(value, infinite=True)


def _number(value: Any, infinite: bool) -> float:
    if type(value) is float and -LARGEST_NUMBER <= value <= LARGEST_NUMBER:
        return value  # at once: large files have many of these
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError("expected a number")
    try:
        result = float(value)
    except OverflowError:
        raise ValueError("expected a number that a double can hold") from None
    fault = number_fault(result, infinite)
    if fault is not None:
        raise ValueError(f"expected a number, this {fault}")
    return result


def whole(value: Any) -> int:
    """A whole number."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise ValueError("expected a whole number")
    return value


def truth(value: Any) -> bool:
    """true or false."""
    if not isinstance(value, bool):
        raise ValueError("expected true or false")
    return value


@cache
def numbers(count: int | None = None) -> Callable[[Any], tuple[float, ...]]:
    """A reader of so many numbers, any number of them if None."""

    def read(value: Any) -> tuple[float, ...]:
        if not isinstance(value, list) or (count is not None and len(value) != count):
            raise ValueError(f"expected {'a list of' if count is None else count} numbers")
        return tuple([_number(entry, infinite=False) for entry in value])

    return read


def rgba(value: Any) -> tuple[float, ...]:
    """A color."""
    found = numbers(4)(value)
    if not all(0.0 <= part <= 1.0 for part in found):
        raise ValueError("expected red, green, blue and opacity, each from 0 to 1")
    return found
