"""Names people read: what `wt` shows, how signatures look, that every package can be reached.

Source of truth: the list of promised names, and what `inspect` and `pydoc` print.
"""

import importlib
import inspect
import pkgutil
import pydoc
import sys
import typing

import numpy as np
import pytest

import whippletree as wt
from whippletree.checks.checking import PUBLIC
from whippletree.spatial import Array

PROMISED = set(
    """
    load save examples Mechanism Revolute Placement Inertia Limits rnea crba aba bias_force
    forward_dynamics methods inverse_dynamics forward_kinematics jacobian energy momentum assemble
    mobility constraint_error constraint_jacobian compile simulate load_trajectory rollout view
    WhippletreeError ModelError FileError SingularError SolverError TraceError Kernel
    """.split()  # noqa: SIM905  # a list to read
)

ROOMS = {
    "dynamics": """
        aba_variant_1 aba_variant_2 divide_and_conquer floating_aba floating_crba
        floating_inverse_dynamics forward_dynamics_crba hybrid_aba hybrid_crba newton_euler
        rnea_base factor_ltl factor_ltdl handle_equations inertia_product body_to_reference
        simplify_inertias
    """.split(),  # noqa: SIM905  # a list to read
    "loops": """
        Closure Reduction grcr choose_reduction reduction_quality closure_dynamics
        cluster_projection kkt lambda_first projection sparse
    """.split(),  # noqa: SIM905  # a list to read
}

PLACES = (wt, wt.dynamics, wt.loops, wt.contact, *filter(inspect.ismodule, vars(wt.formulations).values()))
"""Where public functions are shown."""

SHOWN = {name: value for name, value in vars(wt).items() if name[0] != "_" and not inspect.ismodule(value)}
VARIANTS = {f"{room}.{name}": getattr(getattr(wt, room), name) for room in ROOMS for name in ROOMS[room]}


def test_promised_names_stand_at_the_top():
    assert [name for name in PROMISED if not hasattr(wt, name)] == []


def test_methods_and_variants_stand_in_their_rooms_only():
    assert [name for names in ROOMS.values() for name in names if hasattr(wt, name)] == []


def test_a_package_shows_the_functions_behind_the_door():
    for name, door in PUBLIC.items():
        if not hasattr(sys.modules[door.__module__], name):
            continue  # from an example in a docstring
        places = [place for place in PLACES if getattr(place, name, None) is door]
        assert places, name
    for place in PLACES:
        for name, value in inspect.getmembers(place, inspect.isfunction):
            takes_mechanism = next(iter(inspect.signature(value).parameters)) == "m"
            if takes_mechanism and hasattr(value, "__wrapped__"):
                assert PUBLIC[name] is value


def test_one_function_has_one_name_wherever_it_is_shown():
    for place in PLACES[1:]:
        functions = {name: value for name, value in vars(place).items() if inspect.isfunction(value)}
        for name in functions.keys() & SHOWN.keys():
            assert functions[name] is SHOWN[name]


# Packages


PACKAGES = [
    name for _, name, is_package in pkgutil.walk_packages(wt.__path__, prefix="whippletree.") if is_package
]


@pytest.mark.parametrize("name", PACKAGES)
def test_every_package_is_reached_by_import_and_as_attribute(name):
    package = importlib.import_module(name)
    found = wt
    for part in name.split(".")[1:]:
        found = getattr(found, part)
    assert found is package
    assert inspect.ismodule(found)


# Signatures


def readers():
    """Public functions, classes and methods by name."""
    for name, value in (SHOWN | VARIANTS).items():
        if inspect.isclass(value):
            yield name, value
            for method, function in inspect.getmembers(value, inspect.isfunction):
                if method[0] != "_" and function.__module__.startswith("whippletree"):
                    yield f"{name}.{method}", function
        elif callable(value):
            yield name, value


READERS = dict(readers())


@pytest.mark.parametrize("name", READERS)
def test_signatures_are_readable(name):
    shown = READERS[name]
    if not (inspect.isclass(shown) and issubclass(shown, Exception)):
        assert "ndarray" not in str(inspect.signature(shown))
    text = pydoc.plain(pydoc.render_doc(shown))
    assert "numpy.ndarray[" not in text
    assert "dtype[" not in text


def test_a_vector_is_called_an_array():
    parameters = inspect.signature(wt.aba).parameters
    assert str(parameters["q"]) == "q: Array"
    assert ", q: Array, qd: Array, tau: Array, f_ext: " in pydoc.plain(pydoc.render_doc(wt.aba))
    hints = typing.get_type_hints(wt.aba)
    assert hints["q"] is Array
    assert hints["f_ext"] == typing.Optional[Array]  # noqa: UP045  # Array | None makes the same
    alias = typing.get_origin(Array.__value__)  # from NumPy 2.5 on NDArray is one, too
    assert typing.get_origin(getattr(alias, "__value__", Array.__value__)) is np.ndarray


@pytest.mark.parametrize(
    ("arguments", "named", "fault"),
    [
        (((0.0, 0.0),), {}, "missing a required argument: 'qd'"),
        (((0.0, 0.0),) * 5, {}, "too many positional arguments"),
        (((0.0, 0.0),) * 3, {"gravity": 3.0}, "got an unexpected keyword argument 'gravity'"),
    ],
)
def test_a_wrong_call_is_answered_with_the_signature(arguments, named, fault):
    m = wt.examples.load("double-pendulum")
    with pytest.raises(TypeError) as caught:
        wt.aba(m, *arguments, **named)
    message = str(caught.value)
    assert message.startswith("aba(m: Mechanism, q: Array, qd: Array, tau: Array, f_ext: ")
    assert message.endswith(f") -> Array: {fault}")
