"""Formulas as MathML, which browsers draw by themselves: no script, no fonts, nothing from elsewhere."""

import re

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.writers.html5 import HTML5Translator


def inline(self: HTML5Translator, node: nodes.math) -> None:
    self.body.append(tex2mathml(node.astext()))
    raise nodes.SkipNode


def display(self: HTML5Translator, node: nodes.math_block) -> None:
    code = re.sub(r"\\tag\{(.*?)\}", r"\\qquad (\1)", node.astext().strip())  # the number of an equation
    self.body.append(f'<div class="formula">{tex2mathml(code, as_block=True)}</div>')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_html_math_renderer("mathml", (inline, None), (display, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
