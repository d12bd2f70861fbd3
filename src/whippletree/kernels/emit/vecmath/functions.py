"""Elementary functions over vectors of real numbers, as LLVM IR.

LLVM has no vector forms of these: its intrinsics call the C library lane by lane. Each function here is
straight-line code over `width` lanes, at most two units in the last place from the true value, right at
±0, ±inf, NaN and subnormals, and of the same bits for every width, since all widths do the same operations
in the same order. The widths differ only in how many lanes go through at once.
"""

from collections.abc import Iterable

from ...trace.precision import SINGLE
from . import exponential, huge, inverse_trig, trig
from .lanes import Form, Lanes, Real

_UNARY = {
    "tan": trig.tan,
    "asin": inverse_trig.asin,
    "acos": inverse_trig.acos,
    "exp": exponential.exp,
    "log": exponential.log,
}

FUNCTIONS = ("sincos", "tan", "asin", "acos", "atan2", "exp", "log")


def symbol(name: str, width: int) -> str:
    """Name of the IR function: `sincos` returns {sine, cosine}, others one vector; `atan2` takes (y, x)."""
    return f"@wt.{name}.{width}"


def definitions(names: Iterable[str], form: Form, attributes: str = "") -> str:
    """IR of the named functions and what they need, for one form, with `internal` linkage.

    Args:
        names: From `FUNCTIONS`, in any order.
        form: Of the numbers they take.
        attributes: Function attributes, such as `"prefer-vector-width"="512"`.

    Returns:
        Text to put into a module beside that of other widths and `prologue`.

    >>> print(definitions(["exp"], Form(2, True)).splitlines()[0])
    define internal <2 x double> @wt.exp.2(<2 x double> %x) {
    """
    wanted = set(names)
    texts = [_define(name, form, attributes) for name in FUNCTIONS if name in wanted]
    if wanted & {"sincos", "tan"} and form.width > 1:
        texts.append(huge.vector_definition(form, attributes))
    return "\n".join(texts)


def prologue(form: Form) -> str:
    """IR that a module with any of these functions needs once, whatever the widths."""
    reduction = huge.scalar_definition() + (huge.float_definition() if form.precision is SINGLE else "")
    return reduction + f'\n!{trig.RARELY} = !{{!"branch_weights", i32 1, i32 1000}}\n'


def _define(name: str, form: Form, attributes: str) -> str:
    e = Lanes(form)
    x, y = Real("%x"), Real("%y")
    returned, arguments = e.real_type, f"{e.real_type} %x"
    if name == "sincos":
        returned = f"{{{e.real_type}, {e.real_type}}}"
        sine, cosine = trig.sincos(e, x)
        first = e.line(f"insertvalue {returned} undef, {e.real_type} {sine}, 0")
        result = e.line(f"insertvalue {returned} {first}, {e.real_type} {cosine}, 1")
    elif name == "atan2":
        arguments = f"{e.real_type} %y, {e.real_type} %x"
        result = inverse_trig.atan2(e, y, x)
    else:
        result = _UNARY[name](e, x)
    body = "\n".join(e.lines)
    head = f"define internal {returned} {symbol(name, form.width)}({arguments}) {attributes}".rstrip()
    return f"{head} {{\nstart:\n{body}\n  ret {returned} {result}\n}}\n"
