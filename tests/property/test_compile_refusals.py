"""Functions that choose by numbers cannot be recorded, and say what can; in the words a user reads.

Source of truth: the file and line of the call, and what `wt.compile` takes instead.
"""

import pytest

import whippletree as wt
from whippletree.kernels.refusal import TraceError

DYNAMICS = ("forward_dynamics", "rcr", "acs", "kkt", "sparse", "projection", "lambda_first")


def closed() -> wt.Mechanism:
    return wt.examples.load("four-bar")


@pytest.mark.parametrize("name", DYNAMICS)
def test_forward_dynamics_of_loops_names_what_compiles(name):
    with pytest.raises(TraceError) as caught:
        wt.compile(getattr(wt, name), closed())  # the line to show
    message = str(caught.value)
    assert message.startswith(__file__)
    assert "# the line to show" in message
    assert f"{name} cannot be compiled: what it does depends on the numbers it is given; " in message
    assert "compile wt.grcr, with reduction=wt.choose_reduction(m, q)" in message


def test_what_the_message_says_works():
    m = closed()
    with pytest.raises(TraceError, match=r"grcr cannot be compiled.*give it reduction=wt\.choose_reduction"):
        wt.compile(wt.grcr, m)
    q = wt.assemble(m, m.neutral())
    assert wt.compile(wt.grcr, m, reduction=wt.choose_reduction(m, q)).cost["mul"] > 0


@pytest.mark.parametrize("name", ["kkt", "sparse", "constraint_forces", "reactions", "project_velocity"])
def test_a_tree_gets_no_advice_on_loops(name):
    with pytest.raises(TraceError, match=f"{name} cannot be compiled: [a-z ]*given$"):
        wt.compile(getattr(wt, name), wt.examples.load("double-pendulum"))


@pytest.mark.parametrize("name", ["assemble", "mobility", "choose_reduction", "project_position"])
def test_functions_that_only_search_are_named(name):
    with pytest.raises(TraceError, match=f"{name} cannot be compiled: [a-z ]*given$"):
        wt.compile(getattr(wt, name), closed())


def doubled(m, q, qd, tau):
    return 2.0 * wt.kkt(m, q, qd, tau)  # within a function of the user


def test_the_line_of_the_user_s_function_is_shown():
    with pytest.raises(TraceError, match="within a function of the user") as caught:
        wt.compile(doubled, closed())
    assert str(caught.value).startswith(__file__)
    assert caught.value.__cause__ is not None


def test_a_long_result_is_told_by_its_type():
    with pytest.raises(TraceError, match="output scalar 0 is of type Ltdl; a kernel returns real numbers"):
        wt.compile(wt.factor_ltdl, wt.examples.load("quadruped"))


def test_mistakes_of_other_kinds_stay_what_they_are():
    m = wt.examples.load("double-pendulum")
    with pytest.raises(TypeError, match="unsupported operand") as caught:
        wt.compile(lambda q: wt.gravity_force(m, q) + "N m", m)
    assert not isinstance(caught.value, TraceError)
