"""What a function may use to be taken for one without a memory: all else is refused.

Names of attributes hold for whatever they are asked of, as that is not known where they are looked at: none
means anything with a memory, be it of modules, arrays, mechanisms or numbers, and none tells a number from a
symbol.
"""

from collections.abc import Callable
from typing import Any


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


ROOMS = ("dynamics", "loops", "contact")
"""Packages of this library whose functions take numbers and symbols alike."""

BUILTINS: tuple[Callable[..., Any], ...] = (
    abs, all, any, bool, divmod, enumerate, float, int, len, list, map, max, min, pow, range, reversed, round,
    sorted, sum, tuple, zip,
)  # fmt: skip
"""Functions of Python; those that need to know a number refuse a symbol."""

NUMPY = _words(
    """
    abs absolute add arange arccos arccosh arcsin arcsinh arctan arctan2 arctanh array asarray block cbrt
    clip concatenate cos cosh cross cumsum deg2rad degrees diag diff divide dot e einsum exp expm1 eye fabs
    floor fmod full hstack hypot identity inf inner interp linspace log log10 log1p log2 matmul max maximum
    mean min minimum mod multiply negative newaxis ones outer pi power prod rad2deg radians remainder reshape
    roll sign sin sinh sqrt square stack subtract sum tan tanh trace transpose tril triu true_divide vdot
    vstack zeros zeros_like
    """
)
"""Names of `numpy`: none that draws, reads, leaves memory unset, calls a function or asks for a type."""

ARRAYS = _words("T copy diagonal dot flatten mean ndim prod ravel reshape shape size sum transpose")
"""Names of arrays."""

MECHANISMS = _words(
    """
    nq nv gravity bodies parents q_index v_index body_number joint_number integrate difference rate neutral
    placement position inertia limits lower upper damping friction stiffness rest armature
    """
)
"""Names of mechanisms and of their parts."""

INSTRUCTIONS = _words(
    """
    BINARY_OP BINARY_SLICE BINARY_SUBSCR BUILD_LIST BUILD_SLICE BUILD_TUPLE CACHE CALL CALL_KW COMPARE_OP
    COPY COPY_FREE_VARS END_FOR EXTENDED_ARG FOR_ITER GET_ITER JUMP_BACKWARD JUMP_FORWARD
    JUMP_IF_FALSE_OR_POP JUMP_IF_TRUE_OR_POP KW_NAMES LIST_APPEND LIST_EXTEND LOAD_ATTR LOAD_CLOSURE
    LOAD_CONST LOAD_DEREF LOAD_FAST LOAD_FAST_AND_CLEAR LOAD_FAST_BORROW LOAD_FAST_BORROW_LOAD_FAST_BORROW
    LOAD_FAST_CHECK LOAD_FAST_LOAD_FAST LOAD_GLOBAL LOAD_METHOD LOAD_SMALL_INT MAKE_CELL MAKE_FUNCTION NOP
    NOT_TAKEN POP_ITER POP_JUMP_BACKWARD_IF_FALSE POP_JUMP_BACKWARD_IF_TRUE POP_JUMP_FORWARD_IF_FALSE
    POP_JUMP_FORWARD_IF_TRUE POP_JUMP_IF_FALSE POP_JUMP_IF_TRUE POP_TOP PRECALL PUSH_NULL RERAISE RESUME
    RETURN_CONST RETURN_VALUE SET_FUNCTION_ATTRIBUTE STORE_FAST STORE_FAST_LOAD_FAST STORE_FAST_STORE_FAST
    SWAP TO_BOOL UNARY_INVERT UNARY_NEGATIVE UNARY_NOT UNARY_POSITIVE UNPACK_SEQUENCE
    """
)
"""Instructions of Python 3.11 to 3.14 that write into variables of the function alone.

Not among them: what catches errors, as a symbol raises where a number does not, `is`, `in` and `match`, texts
with numbers in them, dictionaries, imports, classes and generators.
"""
