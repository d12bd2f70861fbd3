"""Formulas as MathML, which browsers draw by themselves: no script, no fonts, nothing from elsewhere."""

import re
from html import unescape
from xml.etree import ElementTree

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.writers.html5 import HTML5Translator

SPACE = "http://www.w3.org/1998/Math/MathML"
ElementTree.register_namespace("", SPACE)

ACCENTS = "ˆ¨˙~¯˚→"
"""Signs above a letter, which keeps its subscript at its side."""


def formula(code: str, *, block: bool = False) -> str:
    """MathML of LaTeX. Docutils puts a subscript of a letter with dots below it, as if they were a limit."""
    drawn = re.sub(r"&(?!lt;|gt;|amp;)\w+;", lambda name: unescape(name[0]), tex2mathml(code, as_block=block))
    root = ElementTree.fromstring(drawn)
    for both in list(root.iter(f"{{{SPACE}}}munderover")):
        letter, below, above = both
        if above.text and above.text in ACCENTS:
            both.tag, both.attrib = f"{{{SPACE}}}msub", {}
            accented = ElementTree.Element(f"{{{SPACE}}}mover", {"accent": "true"})
            accented.extend([letter, above])
            both[:] = [accented, below]
    return ElementTree.tostring(root, encoding="unicode")


def inline(self: HTML5Translator, node: nodes.math) -> None:
    self.body.append(formula(node.astext()))
    raise nodes.SkipNode


def display(self: HTML5Translator, node: nodes.math_block) -> None:
    code = re.sub(r"\\tag\{(.*?)\}", r"\\qquad (\1)", node.astext().strip())  # the number of an equation
    self.body.append(f'<div class="formula">{formula(code, block=True)}</div>')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_html_math_renderer("mathml", (inline, None), (display, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
