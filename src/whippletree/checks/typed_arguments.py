"""What an argument of a function must be, told by its annotation: a class of this library, a flag, a word."""

import functools
from collections.abc import Callable, Mapping
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from ..errors import InputError, with_article
from ..model.values import flag
from .argument_table import OURS, is_ours
from .while_recording import CHOICES


@functools.cache  # reading annotations takes as long as a small algorithm
def typed_arguments(function: Callable[..., Any]) -> Mapping[str, Any]:
    """The arguments of a function of this library whose annotations can be held against a value."""
    hints = get_type_hints(function)
    without_none = {name: _without_none(hint) for name, hint in hints.items()}
    return {
        name: hint
        for name, hint in without_none.items()
        if name not in ("m", "return", *OURS)
        and (hint is bool or get_origin(hint) is Literal or _is_class(hint))
    }


def expect_typed(function: str, name: str, value: Any, hint: Any) -> None:
    """InputError for an argument that is not what its annotation says."""
    if hint is bool:
        flag(value, f"{function}: {name}")
    elif get_origin(hint) is Literal:
        words = [f'"{word}"' for word in get_args(hint)]
        if not isinstance(value, str) or value not in get_args(hint):
            raise InputError(f"{name} is {value!r:.60}: give {', '.join(words[:-1])} or {words[-1]}")
    elif not isinstance(value, hint):
        chosen = ", as wt.method_choice(m, q, method) chooses" if name in CHOICES else ""
        wanted = f"{with_article(hint.__name__)}{chosen}"
        raise InputError(f"{function}: {name} is {value!r:.60}, expected {wanted}")


def _without_none(hint: Any) -> Any:
    if get_origin(hint) not in (UnionType, Union):
        return hint
    kinds = [kind for kind in get_args(hint) if kind is not NoneType]
    return kinds[0] if len(kinds) == 1 else hint


def _is_class(hint: Any) -> bool:
    """Whether this is a class of the library, which no value of another kind can stand for."""
    return isinstance(hint, type) and is_ours(hint)
