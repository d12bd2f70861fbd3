"""On which line of a TOML text each table and key stands: `tomllib` does not tell."""

import re
import tomllib
from collections.abc import Iterator

Path = tuple[str | int, ...]
"""The way to a value from the top: keys, and places in arrays of tables."""

_KEY = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'[^']*'|[A-Za-z0-9_-]+")
_BLANK = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
# What a value is made of: strings of four kinds, comments, brackets, line ends, anything else.
_PIECE = re.compile(
    r"\"\"\"(?:[^\\]|\\.)*?\"{3,5}|'''.*?'{3,5}|\"(?:[^\"\\\n]|\\.)*\"|'[^'\n]*'|#[^\n]*|[\[\]{}\n]|[^\"'#\[\]{}\n]+",
    re.DOTALL,
)


def lines(text: str) -> dict[Path, int]:
    """Line, from 1, of every table header and every key of a text that `tomllib` has accepted.

    Keys inside an inline table or an array are not listed: they are found on the line of their key.

    >>> lines("a = 1\\n[[b]]\\nc = [\\n 2,\\n]\\n[[b]]\\nc = 3")[("b", 1, "c")]
    7
    """
    found: dict[Path, int] = {}
    counts: dict[Path, int] = {}  # of arrays of tables, by their way
    table: Path = ()
    for start, statement in _statements(text):
        line = text.count("\n", 0, start) + 1
        if statement.startswith("["):
            table = _enter(_keys(statement.strip("[] \t")), statement.startswith("[["), counts)
            found[table] = line
        else:
            key = (*table, *_keys(statement))
            for end in range(len(table) + 1, len(key) + 1):
                found.setdefault(key[:end], line)
    return found


def line_of(found: dict[Path, int], way: Path) -> int | None:
    """The line of a value: its own, or that of the innermost table or key around it."""
    for end in range(len(way), 0, -1):
        if way[:end] in found:
            return found[way[:end]]
    return None


def _statements(text: str) -> Iterator[tuple[int, str]]:
    """Where each statement starts, and its head: a table's header, or what stands before the equals sign."""
    at = _skip(text, 0)
    while at < len(text):
        if text[at] == "[":
            end = text.find("\n", at)
            end = len(text) if end < 0 else end
            yield at, text[at:end].split("#")[0].strip()  # keys of ours hold no #
        else:
            end = at
            while text[end] != "=":
                match = _KEY.match(text, end)
                end = match.end() if match else end + 1
            yield at, text[at:end]
            end = _value_end(text, end + 1)
        at = _skip(text, end)


def _value_end(text: str, at: int) -> int:
    """Where a value that starts here ends: the first line end outside of strings and brackets."""
    depth = 0
    while at < len(text):
        match = _PIECE.match(text, at)
        if match is None:
            return len(text)
        piece = match.group()
        if piece == "\n" and depth == 0:
            break
        depth += (piece in "[{") - (piece in "]}")
        at = match.end()
    return at


def _skip(text: str, at: int) -> int:
    match = _BLANK.match(text, at)
    return at if match is None else match.end()


def _keys(dotted: str) -> list[str]:
    """The parts of a dotted key."""
    return [next(iter(tomllib.loads(f"{part} = 0"))) for part in _KEY.findall(dotted)]


def _enter(keys: list[str], is_array: bool, counts: dict[Path, int]) -> Path:
    """The way to the table a header opens; a part that names an array means its last table."""
    way: Path = ()
    for key in keys[:-1]:
        way = (*way, key)
        if way in counts:
            way = (*way, counts[way] - 1)
    way = (*way, keys[-1])
    if is_array:
        counts[way] = counts.get(way, 0) + 1
        way = (*way, counts[way] - 1)
    return way
