"""XML files, read safely, by elements that know their line and remember what has been asked of them."""

import math
from collections.abc import Sequence
from pathlib import Path

from lxml import etree  # pyright: ignore[reportAttributeAccessIssue]  # compiled, carries no types

from ..errors import FileError
from .bounds import number_fault
from .file_source import Source
from .findings import Findings
from .xml_repair import with_plain_start, with_prefixes

ATTRIBUTES = 1000
"""What an element has at most: with tens of thousands the parser takes minutes to list them."""


def parse(source: Source, findings: Findings) -> etree._Element:
    """The root element of an XML text. Entities are not expanded and nothing else is opened.

    Slips that other readers pass over are mended, and told to the findings.

    Raises:
        FileError: It is no XML, or declares entities.
    """
    path, data = source.path, source.data
    # Refused before the parser sees it, which would expand entities in attributes.
    doctype = data.find(b"<!DOCTYPE")
    declared = data.find(b"<!ENTITY", doctype) if doctype != -1 else -1
    if declared != -1:
        line = data.count(b"\n", 0, declared) + 1
        raise FileError(path, "declares an XML entity, which is never expanded: write the text itself", line)
    root = _root(path, with_plain_start(data, findings), findings)
    # A file in another encoding than ASCII's can hide its entities from the search above.
    dtd = root.getroottree().docinfo.internalDTD
    if dtd is not None and any(True for _ in dtd.iterentities()):
        raise FileError(path, "declares an XML entity, which is never expanded: write the text itself", 1)
    for element in root.xpath(f"descendant-or-self::*[count(@*) > {ATTRIBUTES}][1]"):
        told = f"<{etree.QName(element).localname}> has more than {ATTRIBUTES} attributes"
        raise FileError(path, f"{told}: such a file is not read", element.sourceline)
    return root


def _root(path: Path, data: bytes, findings: Findings, mended: bool = False) -> etree._Element:
    parser = etree.XMLParser(
        resolve_entities=False,
        load_dtd=False,
        no_network=True,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )
    try:
        return etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        declared = None
        if _plain(error).startswith("Namespace prefix") and not mended:
            declared = with_prefixes(data, error.lineno or 1, findings)
        if declared is None:
            raise FileError(path, f"not well-formed XML: {_plain(error)}", error.lineno) from None
    return _root(path, declared, findings, mended=True)


def _plain(error: etree.XMLSyntaxError) -> str:
    """libxml2's message without the position, which FileError gives."""
    return (error.msg or "unknown error").split(", line ")[0].strip()


_TRUTH = {"true": True, "1": True, "false": False, "0": False}

UNKNOWN = "unknown to this reader, ignored"


class Element:
    """An element of a file: typed access to its parts, and an account of those nobody asked for.

    A part that is wrong is reported to the findings, so that reading continues and every problem is
    found; a number that is wrong reads as NaN, which no number that is right does.
    """

    # Large files have many elements, which are read sooner without dictionaries of their own. Attributes stay
    # in the tree of lxml, and elements inside are made when the first of them is asked for.
    __slots__ = (
        "_asked_attributes",
        "_asked_content",
        "_inside",
        "_is_read",
        "_made",
        "_namespace",
        "_raw",
        "_set_aside",
        "findings",
        "tag",
    )

    def __init__(self, raw: etree._Element, findings: Findings, inside: "Element | None" = None) -> None:
        self.findings: Findings = findings
        self._inside = inside
        self._namespace: str | None = etree.QName(raw).namespace if inside is None else inside._namespace
        tag: str = raw.tag
        self.tag: str = self._tag(raw, tag) if tag.startswith("{") else tag
        self._raw = raw
        self._made: Sequence[Element] | None = None
        self._is_read = False
        self._asked_attributes: tuple[str, ...] = ()
        self._set_aside = False
        self._asked_content = False

    @property
    def line(self) -> int:
        """Where it begins, from 1."""
        return int(self._raw.sourceline or 1)

    def _tag(self, raw: etree._Element, tag: str) -> str:
        """The name of an element of a vocabulary; with its prefix if that is another one than the root's."""
        name = etree.QName(raw)
        if name.namespace is None or name.namespace == self._namespace:
            return name.localname
        return f"{raw.prefix}:{name.localname}" if raw.prefix else tag

    def __str__(self) -> str:
        name = self._raw.get("name")
        own = f"{self.tag} {name!r}" if name else f"<{self.tag}>"
        above = self._inside
        while above is not None and above._inside is not None and above._raw.get("name") is None:
            above = above._inside
        return own if above is None or above._inside is None else f"{own} of {above}"

    def error(self, message: str) -> None:
        self.findings.error(self.line, message)

    def warn(self, message: str) -> None:
        self.findings.warning(self.line, message)

    # Children

    def children(self, tag: str) -> list["Element"]:
        """All children with this tag, in the order of the file."""
        found = [child for child in self._made or self._children() if child.tag == tag]
        for child in found:
            child._is_read = True
        return found

    def child(self, tag: str) -> "Element | None":
        """The first child with this tag, or None; more than one is odd, and told."""
        first: Element | None = None
        for child in self._made or self._children():
            if child.tag != tag:
                continue
            child._is_read = True
            if first is None:
                first = child
            else:
                child.set_aside(
                    f"{self} has a second <{tag}>: passed over, the first on line {first.line} counts"
                )
        return first

    def set_aside(self, message: str) -> None:
        """Warn of an element that should not be there; nothing else is reported about it."""
        self.findings.warning(self.line, message)
        self._set_aside = True

    def _children(self) -> "Sequence[Element]":
        if self._made is None:
            self._made = ()
            if len(self._raw):
                self._made = [
                    Element(raw, self.findings, self) for raw in self._raw if isinstance(raw.tag, str)
                ]
        return self._made

    # Attributes

    def text(self, name: str) -> str | None:
        """An attribute as it stands, or None."""
        value = self._raw.get(name)
        if value is not None and name not in self._asked_attributes:
            self._asked_attributes += (name,)
        return value

    def required(self, name: str) -> str:
        """An attribute that must be there and not blank; reported and "" if it is not."""
        value = (self.text(name) or "").strip()
        if not value:
            self.error(f'{self} has no {name}: add {name}="…"')
        return value

    def number(self, name: str, default: float | None = None, infinite: bool = False) -> float:
        """An attribute as a number; it must be there unless a default is given, and finite unless said."""
        values = self.numbers(name, 1, None if default is None else (default,), infinite)
        return values[0]

    def numbers(
        self, name: str, count: int, default: Sequence[float] | None = None, infinite: bool = False
    ) -> tuple[float, ...]:
        """An attribute as so many numbers, separated by blanks."""
        text = self.text(name)
        if text is None:
            if default is not None:
                return tuple(default)
            self.error(f'{self} has no {name}: add {name}="…" with {_numbers(count)}')
            return (math.nan,) * count
        return self._as_numbers(f'{name}="{text}"', name, text, count, infinite)

    # Content, where a format has its values there

    def content(self) -> str:
        """The text inside, without blanks around it."""
        self._asked_content = True
        return (self._raw.text or "").strip()

    def content_numbers(self, count: int, infinite: bool = False) -> tuple[float, ...]:
        """The text inside as so many numbers, separated by blanks."""
        text = self.content()
        return self._as_numbers(f'"{text}"', "the content", text, count, infinite)

    def inner(self, tag: str) -> str:
        """The text in the first child with this tag; "" if there is none."""
        child = self.child(tag)
        return "" if child is None else child.content()

    def inner_number(self, tag: str, default: float, infinite: bool = False) -> float:
        """The number in the first child with this tag; the default if there is none."""
        child = self.child(tag)
        return default if child is None else child.content_numbers(1, infinite)[0]

    def inner_truth(self, tag: str, default: bool) -> bool:
        """The yes or no, in the words of XML Schema, in the first child with this tag."""
        child = self.child(tag)
        if child is None:
            return default
        said = child.content().lower()
        if said not in _TRUTH:
            child.error(f'{child}: "{said}" is neither true nor false')
        return _TRUTH.get(said, default)

    def _as_numbers(self, shown: str, name: str, text: str, count: int, infinite: bool) -> tuple[float, ...]:
        words = text.split()
        if len(words) != count:
            hint = _macro_hint(text)
            self.error(f"{shown} of {self} holds {_words(len(words))}, expected {_numbers(count)}{hint}")
            return (math.nan,) * count
        return tuple([self._number(name, word, infinite) for word in words])

    def _number(self, name: str, word: str, infinite: bool) -> float:
        try:
            # Python reads 1_000 as a number; no other reader of these files does.
            value = float(word.replace("_", "?"))
        except ValueError:
            fault = "is not a number"
        else:
            fault = number_fault(value, infinite)
            if fault is None:
                return value
        hint = _macro_hint(word)
        if not hint and "," in word:
            hint = ": separate numbers by blanks and write decimals with a point"
        self.error(f'{name} of {self}: "{word}" {fault}{hint}')
        return math.nan

    # What is left

    def report_rest(self, meanings: dict[str, str]) -> None:
        """Tell what nobody asked for, here and in the elements that were read.

        `meanings` says for a tag, or for an attribute as tag@attribute, what it is about.
        """
        waiting: list[Element] = [self]
        while waiting:
            element = waiting.pop()
            if element._set_aside:
                continue
            attributes = element._raw.attrib
            if len(attributes) > len(element._asked_attributes):  # those asked for are there
                for name in attributes:
                    if name not in element._asked_attributes:
                        why = meanings.get(f"{element.tag}@{name}", UNKNOWN)
                        self.findings.not_carried(element.line, f"attribute {name} of <{element.tag}>", why)
            text = None if element._asked_content else element._raw.text
            has_text = bool(text) and not text.isspace()
            children = element._made or element._children()
            for child in children:
                text = child._raw.tail
                if text and not text.isspace():
                    has_text = True
                if not child._is_read:
                    why = meanings.get(child.tag, UNKNOWN)
                    self.findings.not_carried(child.line, f"<{child.tag}> in <{element.tag}>", why)
            if children:
                waiting += [child for child in reversed(children) if child._is_read]
            if has_text:
                self.findings.not_carried(element.line, f"text in <{element.tag}>", "has no meaning, ignored")


def _macro_hint(text: str) -> str:
    return ": expand the file with xacro first" if "${" in text or "$(" in text else ""


def _numbers(count: int) -> str:
    return "a number" if count == 1 else f"{count} numbers separated by blanks"


def _words(count: int) -> str:
    return "1 value" if count == 1 else f"{count} values"
