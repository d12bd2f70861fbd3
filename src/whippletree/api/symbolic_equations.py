"""Equations of motion of a small mechanism as formulas: to read, to typeset and to compute with."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from ..checks.checking import checked
from ..dynamics.coriolis import coriolis_force
from ..dynamics.crba import crba
from ..dynamics.gravity import gravity_force
from ..errors import InputError, ModelError
from ..joints import Joint
from ..kernels.export.trigonometric import NotTrigonometric, Ring, TooManyTerms, Trigonometric
from ..kernels.export.trigonometric_sympy import evaluated, to_expression
from ..kernels.trace.recording import trace
from ..loops.equations.closure_equations import closure_equations
from ..model.mechanism import Mechanism
from ..model.values import listed, whole_number
from .compiling import record

WIDTH = 90
"""Signs in a line of LaTeX, as they are seen: a page of 16 cm in 10 pt has room for about so many."""

DIGITS = 17
"""Digits of a number in a formula, at most: it has no more."""

PARAMETERS = {"mass": "m", "com": "c", "about_com": "I", "position": "p", "armature": "A"}
"""What a number of a body is called in a formula."""


@dataclass(frozen=True)
class SymbolicEquations:
    """M qdd + C + g = tau, and Φ = 0 for loops and gears; all are SymPy matrices.

    With loops, tau has the constraint forces (∂Φ/∂q)ᵀ λ beside those of the joints. Springs, dampers and
    other forces of the mechanism's own are part of tau too.

    Attributes:
        q: (nq, 1) coordinates, named after the joints.
        qd: (nv, 1) velocities.
        qdd: (nv, 1) accelerations.
        tau: (nv, 1) joint forces.
        M: (nv, nv) inertia matrix, as `wt.crba`.
        C: (nv, 1) Coriolis and centrifugal forces, as `wt.coriolis_force`.
        g: (nv, 1) forces that hold against gravity, as `wt.gravity_force`.
        closure: (rows, 1) Φ(q), those of its rows that are not 0 for every q.
        names: LaTeX of every symbol.
    """

    q: Any
    qd: Any
    qdd: Any
    tau: Any
    M: Any
    C: Any
    g: Any
    closure: Any
    names: Mapping[Any, str]

    @property
    def motion(self) -> Any:
        """(nv, 1) M qdd + C + g - tau, which is zero."""
        return self.M * self.qdd + self.C + self.g - self.tau

    def latex(self, width: int = WIDTH, digits: int = 6) -> str:
        r"""All formulas in an `aligned` environment, lines broken between terms.

        Args:
            width: How many signs a line may have, as they are seen. A single term is never broken.
            digits: How many digits numbers have; those of the matrices have all.

        >>> import whippletree as wt
        >>> print(wt.symbolic_equations(wt.examples.load("pendulum")).latex())
        \begin{aligned}
        M_{1,1} &= \frac{1}{3} \\
        C_{1} &= 0 \\
        g_{1} &= 4.905 \sin{\left(q_{\mathrm{rod}} \right)}
        \end{aligned}
        """
        import sympy

        whole_number(width, "width")
        if whole_number(digits, "digits") > DIGITS:
            raise InputError(f"digits is {digits}, expected {DIGITS} at most: numbers have no more")
        lines: list[str] = []
        for left, right in self._formulas():
            rounded = right.xreplace({x: sympy.Float(x, digits) for x in right.atoms(sympy.Float)})
            lines += self._broken(left, rounded, width)
        return "\\begin{aligned}\n" + " \\\\\n".join(lines) + "\n\\end{aligned}"

    def _formulas(self) -> Iterator[tuple[str, Any]]:
        for i in range(self.M.rows):
            for j in range(i, self.M.cols):
                yield f"M_{{{i + 1},{j + 1}}}", self.M[i, j]
        for name, column in (("C", self.C), ("g", self.g)):
            yield from ((f"{name}_{{{i + 1}}}", column[i]) for i in range(column.rows))
        yield from (("0", row) for row in self.closure)

    def _broken(self, left: str, right: Any, width: int) -> list[str]:
        """The lines of one formula."""
        import sympy

        def typeset(expression: Any) -> str:
            return sympy.latex(expression, symbol_names=dict(self.names), full_prec=False)

        line, lines = "", []
        for term in right.as_ordered_terms():
            text = typeset(term)
            if (line or lines) and text[0] != "-":
                text = f"+ {text}"
            if line and _seen(left) + _seen(line) + _seen(text) > width:
                lines.append(line)
                line = text
            else:
                line = f"{line} {text}".strip()
        first, *others = [*lines, line]
        return [f"{left} &= {first}", *(f"&\\quad {other}" for other in others)]


def _seen(latex: str) -> int:
    """How many signs of a line of LaTeX are seen."""
    plain = re.sub(r"\\(?:left|right|mathrm|frac|dot|ddot|cdot|quad)\b", "", latex)
    return len(re.sub(r"[{}_^ &\\]", "", plain))


@checked
def symbolic_equations(
    m: Mechanism, parameters: Sequence[str] | Mapping[str, Any] = (), terms: int = 1000
) -> SymbolicEquations:
    """The equations of motion of a small mechanism as formulas, in the names of its joints. Needs SymPy.

    The recursive algorithms are carried out on sums of sines and cosines of sums of angles. That form is
    unique, so that every identity is applied, sin² + cos² = 1 among them, whatever road led there. Numbers
    below 1e-12 of the largest in their matrix are zero.

    Args:
        m: The mechanism; with loops, those of plain joints. Joints by sines and cosines of their coordinates;
            the unit norm of a quaternion is not made use of.
        parameters: Numbers of the mechanism that become symbols, see `wt.parameter_names`: names alone, as
            ["rod.mass"], or with the symbol or polynomial that each stands for, as {"rod.mass": "m",
            "rod.com.z": "-l/2", "rod.about_com.yy": "m*l**2/12"}. All others are numbers.
        terms: How many terms an expression may have, those on the way included.

    Raises:
        InputError: SymPy is not installed, or an expression has more terms.
        ModelError: A joint or loop cannot be written in sines and cosines; it is named.

    >>> import whippletree as wt
    >>> m = wt.examples.load("cart-pole")
    >>> wt.symbolic_equations(m, {"pole.mass": "m", "pole.com.z": "-l/2", "gravity.z": "-g"}).g[1]
    g*l*m*sin(q_pole)/2
    """
    try:
        import sympy
    except ImportError:
        raise InputError("symbolic_equations needs sympy: pip install sympy") from None
    if not isinstance(terms, int) or terms < 1:
        raise InputError(f"terms is {terms!r}, expected how many an expression may have, as 1000")
    given = _given(sympy, parameters)
    symbols = _Symbols(sympy, m, given)
    ring = Ring(m.nq, len(symbols.all), terms)
    position = [ring.symbol(n) for n in range(m.nq)]
    velocity = [ring.symbol(m.nq + n) for n in range(m.nv)]
    values = [_polynomial(sympy, ring, symbols.all, name, value) for name, value in given.items()]

    def formulas(function: Callable[..., Any], *inputs: Trigonometric) -> list[Any]:
        program = record(function, m, parameters=list(given))
        arguments = [*inputs, *values]
        results = evaluated(program, arguments) if arguments else []
        return [to_expression(result, symbols.all) for result in results]

    try:
        M = sympy.Matrix(m.nv, m.nv, formulas(crba, *position))
        C = sympy.Matrix(m.nv, 1, formulas(coriolis_force, *position, *velocity))
        g = sympy.Matrix(m.nv, 1, formulas(gravity_force, *position))
        rows = [row for row in formulas(closure_equations, *position) if row != 0]
    except NotTrigonometric as error:
        raise _joint_in_the_way(m, error) from None
    except TooManyTerms as error:
        raise InputError(
            f"symbolic_equations: an expression of {m.name!r} has at least {error.terms} terms, and {terms} "
            f"are allowed: give terms={2 * error.terms}, lock joints (wt.lock), or take "
            "wt.symbolic(wt.crba, m), which does not expand"
        ) from None
    closure = sympy.Matrix(len(rows), 1, rows)
    q, qd, qdd, tau = (
        sympy.Matrix(len(part), 1, part) for part in (symbols.q, symbols.qd, symbols.qdd, symbols.tau)
    )
    return SymbolicEquations(q, qd, qdd, tau, M, C, g, closure, symbols.latex)


class _Symbols:
    """The symbols of a mechanism and how they are typeset."""

    def __init__(self, sympy: Any, m: Mechanism, given: Mapping[str, Any]) -> None:
        self.sympy = sympy
        self.latex: dict[Any, str] = {}
        self.q, self.qd, self.qdd, self.tau = [], [], [], []
        for body in m.bodies:
            joint, name = body.joint, body.joint_name
            numbers = [str(k) for k in range(joint.nq)] if joint.nq > 1 else [""]
            labels = [label.strip("[]") for label in joint.velocity_labels] if joint.nv > 1 else [""]
            self.q += [self._new("q", "q", name, label) for label in numbers[: joint.nq]]
            for label in labels[: joint.nv]:
                self.qd.append(self._new("qd", "\\dot{q}", name, label))
                self.qdd.append(self._new("qdd", "\\ddot{q}", name, label))
                self.tau.append(self._new("tau", "\\tau", name, label))
        free = sorted({s for value in given.values() for s in value.free_symbols}, key=str)
        taken = {str(symbol) for symbol in self.latex} & {str(symbol) for symbol in free}
        if taken:
            raise InputError(f"the symbol {min(taken)!r} is a joint's motion: call the parameter otherwise")
        self.all = [*self.q, *self.qd, *free]

    def _new(self, letter: str, latex: str, joint: str, label: str) -> Any:
        symbol = self.sympy.Symbol("_".join(filter(None, (letter, joint, label))), real=True)
        if symbol in self.latex:
            raise InputError(f"two coordinates would be called {symbol}: rename joint {joint!r} (wt.rename)")
        words = joint.replace("_", "\\_")
        self.latex[symbol] = f"{latex}_{{\\mathrm{{{words}}}" + (f",{label}" if label else "") + "}"
        return symbol


def _given(sympy: Any, parameters: Sequence[str] | Mapping[str, Any]) -> dict[str, Any]:
    """What each parameter stands for, as a SymPy expression."""
    if isinstance(parameters, str):
        raise InputError(f"parameters is {parameters!r}, expected a list of names, as [{parameters!r}]")
    if not isinstance(parameters, Mapping):
        names = listed(parameters, "parameters", "names of parameters", ["rod.mass"])
        return {name: sympy.Symbol(_own_name(str(name))) for name in names}
    return {name: _expression(sympy, name, value) for name, value in parameters.items()}


def _expression(sympy: Any, name: str, value: Any) -> Any:
    """A SymPy expression; in a text every word is a symbol, I and E too."""
    found = None
    if not isinstance(value, str) or re.fullmatch(r"(?:[\w\s+*/()-]|\.(?=\d))*", value):
        words = re.findall(r"[^\W\d]\w*", value) if isinstance(value, str) else ()
        with suppress(sympy.SympifyError, TypeError, AttributeError):
            found = sympy.sympify(value, locals={word: sympy.Symbol(word) for word in words})
    if not isinstance(found, sympy.Expr):
        raise InputError(
            f"parameter {name!r} is {value!r}, expected a symbol or a polynomial of symbols, as 'm*l**2/12'"
        )
    return found


def _own_name(parameter: str) -> str:
    """m_rod for "rod.mass", c_rod_z for "rod.com.z", g_z for "gravity.z"."""
    part, *rest = parameter.split(".")
    if part == "gravity":
        return "_".join(["g", *rest])
    return "_".join([PARAMETERS.get(rest[0], rest[0]), part, *rest[1:]]) if rest else parameter


def _polynomial(sympy: Any, ring: Ring, symbols: list[Any], name: str, value: Any) -> Trigonometric:
    """A SymPy polynomial as an element of the ring."""
    total = ring.number(0.0)
    free = sorted(value.free_symbols, key=str)
    try:
        terms = sympy.Poly(value, *free).terms() if free else [((), value)]
        for powers, coefficient in terms:
            term = ring.number(float(coefficient))
            for symbol, power in zip(free, powers, strict=True):
                for _ in range(power):
                    term = term * ring.symbol(symbols.index(symbol))
            total = total + term
    except (sympy.PolynomialError, TypeError):
        raise InputError(f"parameter {name!r} is {value}, expected a polynomial of symbols") from None
    return total


def _joint_in_the_way(m: Mechanism, error: NotTrigonometric) -> ModelError:
    """The error that names the first joint whose motion is no sum of sines and cosines."""
    for body in m.bodies:
        joint = body.joint
        if joint.nq == 0:
            continue
        ring = Ring(joint.nq, joint.nq, 10_000)

        def motion(q: Any, joint: Joint = joint) -> Any:
            X = joint.transform(q)
            return X.E, X.r, joint.motion_subspace(q)

        try:
            evaluated(trace(motion, {"q": (joint.nq,)}), [ring.symbol(k) for k in range(joint.nq)])
        except NotTrigonometric as found:
            return ModelError(
                f"symbolic_equations: joint {body.joint_name!r} of {m.name!r}, {joint!r}, asks for {found}, "
                "and formulas here are sums of sines and cosines: take another joint, as SphericalEuler, or "
                "wt.symbolic(wt.crba, m)"
            )
    return ModelError(f"symbolic_equations: {m.name!r} asks for {error}: take wt.symbolic(wt.crba, m)")
