"""Numbers in fields of the page, which anybody who has it may send."""

from typing import Any

from ..errors import InputError


def read(handle: Any) -> float:
    """The number in a field, as the browser left it.

    Raises:
        InputError: It is outside the field's range, which only the page itself holds it to.
    """
    value = float(handle.value)
    if not handle.min <= value <= handle.max:
        raise InputError(f"{handle.label} is {value:g}, expected {handle.min:g} to {handle.max:g}")
    return value
