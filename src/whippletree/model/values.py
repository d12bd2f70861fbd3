"""Values that a user gives, checked against what a mechanism asks for."""

import inspect
from collections.abc import Callable, Hashable, Iterable, Mapping
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import InputError, refuse_masked
from ..joints import Joint
from ..spatial import Array
from ..spatial.scalar import all_finite

if TYPE_CHECKING:
    from .mechanism import Body, Mechanism


def expect(function: str, name: str, value: Any, kind: type, such_as: str) -> None:
    """InputError for an argument that is not of its kind, such as a path for a Mechanism."""
    if not isinstance(value, kind):
        raise InputError(f"{function}: {name} is {value!r}, expected {such_as}")


def joint_numbers(m: "Mechanism", names: Any, argument: str) -> list[int]:
    """Numbers of the joints that a list names; InputError for what is no list, ModelError for other names."""
    return [m.joint_number(name) for name in listed(names, argument, "joint names", m.joint_names)]


def listed(names: Any, argument: str, what: str, known: list[str]) -> list[Any]:
    """Names in a list; InputError for what is none, as a single name."""
    if isinstance(names, str | Mapping) or not isinstance(names, Iterable):
        raise InputError(f"{argument} is {names!r}, expected a list of {what}, as {known[:1]}")
    found = list(names)
    for name in found:
        if not isinstance(name, Hashable):  # no name, and not to be looked for among names
            raise InputError(f"{argument} has {name!r}, expected {what}, as {known[:1]}")
    return found


def signature_of(function: Callable[..., Any], name: str) -> inspect.Signature:
    """What a function takes; InputError for one that does not tell, as some that are written in C."""
    try:
        return inspect.signature(function)
    except ValueError:
        raise InputError(f"{name} is {function!r:.60}, which does not tell what it takes: wrap it") from None


def takes(function: Any, count: int, name: str) -> None:
    """InputError for what cannot be called with so many arguments."""
    try:
        usable = callable(function) and not isinstance(function, type)
        if usable:
            inspect.signature(function).bind(*[None] * count)
    except TypeError:
        usable = False
    except ValueError:  # some functions written in C do not tell what they take
        return
    if not usable:
        plural = "s" if count > 1 else ""
        raise InputError(f"{name} is {function!r:.60}, expected a function of {count} argument{plural}")


def flag(value: Any, name: str) -> None:
    """InputError for what is neither True nor False: anything else would count as one of them."""
    if not isinstance(value, bool | np.bool_):
        raise InputError(f"{name} is {value!r:.60}, expected True or False")


def whole_number(value: Any, name: str, least: int = 1) -> int:
    """The value as a number of things, so many or more."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise InputError(f"{name} is {value!r:.60}, expected a whole number, {least} or more")
    return int(value)


def positive(value: Any, name: str) -> Any:
    """The value, a number above 0 as a float, a symbolic one as it is; InputError for anything else."""
    if type(value) is float and 0.0 < value < np.inf:  # nearly always
        return value
    return _one_number(value, name, "a number above 0", lambda number: 0.0 < number < np.inf)


def real_positive(value: Any, name: str) -> float:
    """As `positive`, without symbolic ones: where a motion is computed and nothing is recorded."""
    found = positive(value, name)
    if not isinstance(found, float):
        raise InputError(f"{name} is {value!r:.60}, expected a number above 0")
    return found


def not_negative(value: Any, name: str) -> Any:
    """The value, a number as a float, a symbolic one as it is; InputError for anything else."""
    return _one_number(value, name, "a number, 0 or more", lambda number: 0.0 <= number < np.inf)


def _one_number(value: Any, name: str, expected: str, fits: Callable[[float], bool]) -> Any:
    if isinstance(value, np.ndarray) and not value.shape:
        value = value.item()
    if type(value) is not float and not isinstance(value, Real):
        symbolic = hasattr(type(value), "__rtruediv__") and not isinstance(value, np.ndarray | complex)
        if symbolic:
            return value
        raise InputError(f"{name} is {value!r:.60}, expected {expected}")
    try:
        number = float(value)
    except OverflowError:
        raise InputError(f"{name} is {value!r:.60}, expected {expected}") from None
    if not fits(number):
        raise InputError(f"{name} is {value}, expected {expected}")
    return number


def vector(value: Any, shape: tuple[int, ...], name: str, meaning: str) -> Array:
    """The value as a finite array of the given shape, or InputError saying what was expected."""
    result = _numbers(value, str(shape), name, meaning)
    if result.shape != shape:
        batch = result.ndim > len(shape) and result.shape[-len(shape) :] == shape
        hint = ". For a batch, compile the function: wt.compile(function, m)" if batch else ""
        raise InputError(f"{name} has shape {result.shape}, expected {shape}: {meaning}{hint}")
    return _finite(result, name)


def finite_numbers(value: Any, expected: str, name: str, meaning: str) -> Array:
    """The value as a finite array of any shape, of which `expected` tells in words."""
    return _finite(_numbers(value, expected, name, meaning), name)


def real_vector(value: Any, shape: tuple[int, ...], name: str, meaning: str) -> Array:
    """As `vector`, of real numbers: where a motion is computed and nothing is recorded or differentiated."""
    result = vector(value, shape, name, meaning)
    if result.dtype.kind != "f":
        raise InputError(f"{name} has dtype {result.dtype}, expected real numbers: {meaning}")
    return result


def position(m: "Mechanism", value: Any, name: str = "q") -> Array:
    """The value as a position of the mechanism, its quaternions of unit norm."""
    q = vector(value, (m.nq,), name, per_coordinate(m))
    _check_positions(m, q, name)
    return q


def real_position(m: "Mechanism", value: Any, name: str) -> Array:
    """As `position`, of real numbers."""
    q = value if _is_plain(value, m.nq) else real_vector(value, (m.nq,), name, per_coordinate(m))
    _check_positions(m, q, name)
    return q


def real_velocity(m: "Mechanism", value: Any, name: str) -> Array:
    """The value as real velocities (nv,) of the mechanism."""
    return value if _is_plain(value, m.nv) else real_vector(value, (m.nv,), name, per_velocity(m))


def _is_plain(value: Any, size: int) -> bool:
    """Whether a value is so many finite numbers in an array, as nearly all are."""
    plain = type(value) is np.ndarray and value.dtype == np.float64
    return plain and value.shape == (size,) and all_finite(value)


def velocities(m: "Mechanism", value: Any, name: str) -> Array:
    """The value as velocities (..., nv) of the mechanism."""
    return _rows(value, m.nv, name, per_velocity(m))


def positions(m: "Mechanism", value: Any, name: str) -> Array:
    """The value as positions (..., nq) of the mechanism, their quaternions of unit norm."""
    q = _rows(value, m.nq, name, per_coordinate(m))
    _check_positions(m, q, name)
    return q


def by_rows(function: Callable[..., Array], m: "Mechanism", **vectors: Array) -> Array:
    """A function of the mechanism and single vectors for batches of them, whose leading axes broadcast."""
    leads = {name: array.shape[:-1] for name, array in vectors.items()}
    try:
        batch = np.broadcast_shapes(*leads.values())
    except ValueError:
        told = ", ".join(f"{name} has leading axes {lead}" for name, lead in leads.items())
        raise InputError(f"{told}: lengths must be equal or 1") from None
    if not batch:
        return function(m, *vectors.values())
    tables = [np.broadcast_to(array, (*batch, array.shape[-1])) for array in vectors.values()]
    found = [function(m, *(table[k] for table in tables)) for k in np.ndindex(batch)]
    if not found:  # the length is that of a result, for which any position will do
        return np.zeros((*batch, len(function(m, *(_some(m, table.shape[-1]) for table in tables)))))
    return np.array(found).reshape(*batch, -1)


def per_coordinate(m: "Mechanism") -> str:
    """What the length nq means, in words."""
    return f"one entry per coordinate of {m.name!r} (nq = {m.nq})"


def per_velocity(m: "Mechanism") -> str:
    """What the length nv means, in words."""
    return f"one entry per velocity of {m.name!r} (nv = {m.nv})"


def _some(m: "Mechanism", size: int) -> Array:
    return m.neutral() if size == m.nq else np.zeros(size)


def _numbers(value: Any, expected: str, name: str, meaning: str) -> Array:
    """The value as an array of floats, complex numbers or symbolic scalars."""
    refuse_masked(value, name)
    try:
        result = np.asarray(value)
    except ValueError:
        raise InputError(f"{name} is not an array: expected shape {expected}, {meaning}") from None
    if result.dtype.kind in "biuf":
        return result.astype(np.float64, copy=False)
    if result.dtype.kind == "O":
        entries = result.ravel().tolist()
        wrong = [
            entry for entry in entries if not hasattr(entry, "__mul__") or not hasattr(entry, "__radd__")
        ]
        if wrong:
            raise InputError(f"{name} holds {wrong[0]!r}, expected numbers: {meaning}")
        try:  # fractions and integers beyond 64 bits are numbers too
            return result.astype(float) if all(isinstance(entry, Real) for entry in entries) else result
        except OverflowError:
            raise InputError(f"{name} holds whole numbers beyond all floats: {meaning}") from None
    if result.dtype.kind != "c":
        raise InputError(f"{name} holds {result.dtype}, expected numbers: {meaning}")
    return result


def _rows(value: Any, size: int, name: str, meaning: str) -> Array:
    """The value as a finite array whose last axis has the given length."""
    result = _numbers(value, f"(..., {size})", name, meaning)
    if result.ndim < 1 or result.shape[-1] != size:
        raise InputError(f"{name} has shape {result.shape}, expected ({size},) or (..., {size}): {meaning}")
    return _finite(result, name)


def _finite(result: Array, name: str) -> Array:
    if result.dtype.kind in "fc" and not all_finite(result):
        index = tuple(int(k) for k in np.argwhere(~np.isfinite(result))[0])
        raise InputError(f"{_entry(name, index)} is {result[index]}: every entry must be finite")
    return result


def _check_positions(m: "Mechanism", q: Array, name: str) -> None:
    if q.dtype.kind == "O":
        return
    q = np.real(q)
    for body, index in m.once(_with_bad_positions):
        for row in np.ndindex(q.shape[:-1]) if q.ndim > 1 else ((),):
            fault = body.joint.position_fault(q[(*row, index)])
            if fault is not None:
                at = _entry(name, (*row, f"{index.start}:{index.stop}"))
                raise InputError(f"{at} of joint {body.joint_name!r}: {fault}")


def _with_bad_positions(m: "Mechanism") -> list[tuple["Body", slice]]:
    """Bodies whose joints do not take any numbers as a position, as quaternions, and where those are."""
    return [
        (body, index)
        for body, index in zip(m.bodies, m.q_index, strict=True)
        if type(body.joint).position_fault is not Joint.position_fault
    ]


def _entry(name: str, index: tuple[Any, ...]) -> str:
    return f"{name}[{', '.join(map(str, index))}]"
