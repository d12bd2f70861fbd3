"""On which line of a TOML text each table and key stands: `tomli` does not tell. One pass over the text."""

import re
from collections.abc import Iterator

import tomli

from ..bounds import DEEPEST

Path = tuple[str | int, ...]
"""The way to a value from the top: keys, and places in arrays of tables."""

# All patterns are possessive: what one has passed is not looked at again, so time and memory are linear. A
# string that does not end matches nothing: there `tomli` stops as well.
_LINE_STRING = r"""(?:"(?:[^"\\\n]|\\.)*+"|'[^'\n]*+')"""
_STRING = (
    r"""(?:\"{3}(?:[^"\\]|\\.|"{1,2}+(?!"))*+"{3,5}+|'{3}(?:[^']|'{1,2}+(?!'))*+'{3,5}+|"""
    + _LINE_STRING
    + ")"
)
_PART = rf"(?:[A-Za-z0-9_-]++|{_LINE_STRING})"
_DOT = r"[ \t]*+\.[ \t]*+"
_BLANK = re.compile(r"(?:[ \t\r\n]++|#[^\n]*+)*+")
_KEYS = re.compile(rf"(\[{{0,2}}+)[ \t]*+({_PART}(?:{_DOT}{_PART})*+)")
_PARTS = re.compile(_PART)
_EQUALS = re.compile(r"[ \t]*+=")
# Most values: no quote that may be one of three, brackets in brackets at most, and nothing behind them.
_SIGN = r"[^\"'#\[\]{}\n]"
_SHORT_STRING = r"'[^'\n]++'(?!')"
_INNER = rf"[\[{{]{_SIGN}*+[\]}}]"
_SHALLOW = re.compile(rf"(?:{_SIGN}|{_SHORT_STRING})*+(?:[\[{{](?:{_SIGN}|{_INNER})*+[\]}}])?+(?=\n)")
# Most statements: an array's header or a key, of one bare part, and all of them on one line.
_BARE = r"[A-Za-z0-9_-]++"
_PLAIN = re.compile(rf"\[\[({_BARE})\]\](?=\n)|({_BARE})[ \t]*+={_SHALLOW.pattern}")
_TO_LINE_END = re.compile(rf"(?:[^\"'#\[\]{{}}\n]++|{_STRING}|#[^\n]*+)*+", re.DOTALL)
_TO_BRACKET = re.compile(rf"(?:[^\"'#\[\]{{}}]++|{_STRING}|#[^\n]*+)*+", re.DOTALL)
_PIECES = re.compile(rf"((?:{_PART}{_DOT})++{_PART})|{_STRING}|[A-Za-z0-9_-]++|#[^\n]*+|.", re.DOTALL)

_MANY_POINTS = re.compile(rf"^(?:[^.\n]*+\.){{{DEEPEST}}}", re.MULTILINE)


class TooDeepError(ValueError):
    """Tables in tables, or parts of a key, beyond the bound; the line is its only argument."""


def check_depth(text: str) -> None:
    """TooDeepError for keys of too many parts, for which `tomli` needs time and memory beyond measure."""
    if _MANY_POINTS.search(text):
        lines(text)


def lines(text: str, deepest: int = DEEPEST) -> dict[Path, int]:
    """Line, from 1, of every table header and every key of a text; of an array of tables that of the first.

    Keys inside an inline table or an array are not listed: they are found on the line of their key. Of a text
    that `tomli` does not accept, the lines until there.

    Raises:
        TooDeepError: More than `deepest` parts of a key, or brackets in brackets.

    >>> lines("a = 1\\n[[b]]\\nc = [\\n 2,\\n]\\n[[b]]\\nc = 3")[("b", 1, "c")]
    7
    """
    found: dict[Path, int] = {}
    counts: dict[Path, int] = {}  # of arrays of tables, by their way
    table: Path = ()
    for line, keys, brackets in _statements(text, deepest):
        if brackets:
            table = _enter(keys, brackets == 2, counts)
            found[table] = line
            if brackets == 2:  # an array of tables stands where its first one does
                found.setdefault(table[:-1], line)
        else:
            way = table
            for key in keys:
                way = (*way, key)
                found.setdefault(way, line)
    return found


def line_of(found: dict[Path, int], way: Path) -> int | None:
    """The line of a value: its own, or that of the innermost table or key around it."""
    for end in range(len(way), 0, -1):
        if way[:end] in found:
            return found[way[:end]]
    return None


def _statements(text: str, deepest: int) -> Iterator[tuple[int, list[str], int]]:
    """A table's header or a key each: the line, from 1, the keys, and how many brackets stand before them."""
    at, line = 0, 1
    while True:
        start, at = at, _end(_BLANK, text, at)
        line += text.count("\n", start, at)
        plain = _PLAIN.match(text, at)
        if plain is not None and text.count(".", at, plain.end()) <= deepest:
            header, key = plain.groups()
            yield (line, [key], 0) if header is None else (line, [header], 2)
            at = plain.end()
            continue
        match = _KEYS.match(text, at)
        if match is None:
            return
        brackets, dotted = match.groups()
        keys = _split(dotted)
        if len(keys) > deepest:
            raise TooDeepError(line)
        yield line, keys, len(brackets)
        start, at = at, match.end()
        header_end = text.find("\n", at) if brackets else -1
        at = header_end if brackets else _value_end(text, _end(_EQUALS, text, at), line, deepest)
        if at < 0:
            return
        line += text.count("\n", start, at)


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    match = pattern.match(text, at)
    return at if match is None else match.end()


def _value_end(text: str, at: int, line: int, deepest: int) -> int:
    """Where a value that starts here ends: the first line end outside strings and brackets, or -1."""
    plain = _SHALLOW.match(text, at)
    if plain is not None and text.count(".", at, plain.end()) <= deepest:
        return plain.end()
    depth = 0
    while True:
        start, at = at, _end(_TO_BRACKET if depth else _TO_LINE_END, text, at)
        if depth and text.count(".", start, at) > deepest:  # keys of inline tables have parts, too
            chains = (match[1] for match in _PIECES.finditer(text, start, at) if match[1])
            if any(chain.count(".") > deepest and len(_split(chain)) > deepest for chain in chains):
                raise TooDeepError(line)
        sign = text[at : at + 1]
        if sign == "\n":
            return at
        if sign not in ("[", "]", "{", "}"):
            return -1
        depth = max(0, depth + (1 if sign in "[{" else -1))
        if depth > deepest:
            raise TooDeepError(line)
        at += 1


def _split(dotted: str) -> list[str]:
    """The parts of a dotted key."""
    if dotted.replace("_", "a").isalnum():
        return [dotted]
    return [part if part[0] not in "\"'" else _unquoted(part) for part in _PARTS.findall(dotted)]


def _unquoted(piece: str) -> str:
    """The text of a quoted key; what no key can be, `tomli` refuses."""
    if "\\" not in piece:
        return piece[1:-1]
    try:
        return next(iter(tomli.loads(f"{piece} = 0")))
    except tomli.TOMLDecodeError:
        return piece


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
