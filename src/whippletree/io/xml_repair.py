"""Slips at the start of an XML file that other readers of URDF pass over: mended, and told."""

import re

from .findings import Findings

_DECLARATION = re.compile(rb"<\?xml(\s[^?>]*)\?>")
_VERSION = re.compile(rb"""(version\s*=\s*)(?:"([^"]*)"|'([^']*)')""")
_ELEMENT = re.compile(rb"<[A-Za-z_]")
_ROOT = re.compile(rb"<[A-Za-z_][A-Za-z0-9_.:-]*")
_PREFIXED = re.compile(rb"[<\s]([A-Za-z_][A-Za-z0-9_.-]*):[A-Za-z_][A-Za-z0-9_.-]*(?=[\s=/>])")
_DECLARED = re.compile(rb"xmlns:([A-Za-z_][A-Za-z0-9_.-]*)")

UNDECLARED = "urn:undeclared:"
"""The vocabulary of a prefix that the file does not declare, followed by the prefix."""


def with_plain_start(data: bytes, findings: Findings) -> bytes:
    """The content with its declaration at the start and of a version there is; lines stay as they are."""
    declaration = _DECLARATION.search(data)
    element = _ELEMENT.search(data)
    if declaration is None or (element is not None and element.start() < declaration.start()):
        return data
    line = data.count(b"\n", 0, declaration.start()) + 1
    inside = declaration[1]
    version = _VERSION.search(inside)
    if version is not None and (said := version[2] or version[3] or b"") not in (b"1.0", b"1.1"):
        shown = said[:20].decode("ascii", "replace")
        findings.warning(line, f"XML version {shown!r} does not exist, read as 1.0")
        inside = inside[: version.start()] + version[1] + b'"1.0"' + inside[version.end() :]
    before = data[: declaration.start()].removeprefix(b"\xef\xbb\xbf")
    if before:
        what = "text" if before.strip() else "blanks"
        findings.warning(1, f"{what} before the XML declaration on line {line}: passed over")
    # Line ends that were before the declaration stand inside it now.
    return b"<?xml" + b"\n" * before.count(b"\n") + inside + b"?>" + data[declaration.end() :]


def with_prefixes(data: bytes, line: int, findings: Findings) -> bytes | None:
    """The content with a vocabulary for every prefix that it does not declare; None if there is none."""
    used = dict.fromkeys(match[1] for match in _PREFIXED.finditer(data))
    known = {b"xml", b"xmlns", *(match[1] for match in _DECLARED.finditer(data))}
    unknown = [prefix for prefix in used if prefix not in known]
    root = _ROOT.search(data)
    if not unknown or root is None:
        return None
    listed = ", ".join(repr(prefix.decode()) for prefix in unknown[:6])
    findings.warning(line, f"prefix {listed} is not declared, as xmlns:…: what has it is passed over")
    declared = b"".join(b' xmlns:%s="%s%s"' % (p, UNDECLARED.encode(), p) for p in unknown)
    return data[: root.end()] + declared + data[root.end() :]
