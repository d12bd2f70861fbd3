"""An algorithm of a user, in a module of its own, behind the library's door by one line.

Source of truth: the library's own functions, and what the messages promise.
"""

import importlib.util

import numpy as np
import pytest
from numpy.testing import assert_allclose

import randoms
import whippletree as wt
from whippletree.checks.checking import PUBLIC

MODULE = '''
import numpy as np
import whippletree as wt


@wt.checked
def power(m, q, qd, tau, f_ext=None):
    """What the joint forces do beyond holding the weight."""
    return qd @ (tau - wt.gravity_force(m, q))


@wt.checked
def stretched(m, q, x):
    """Accelerations by a vector of any length."""
    return wt.crba(m, q)[: len(x), : len(x)] @ x


def inertia_along(m, q, qd):
    return 0.5 * qd @ wt.dynamics.inertia_product(m, q, qd)


def legs(m):
    return None if len(m) > 3 else f"{m.name!r} has {len(m)} bodies, expected more than 3"


free = wt.checked(inertia_along, frame_free=True)
many = wt.checked(inertia_along, legs)


@wt.checked
def inverted(m, q):
    return 1.0 / wt.crba(m, q)[0, 0]


@wt.checked
def decided(m, q):
    return q if q[0] > 0.0 else -q


def aba(q, m):
    return q
'''


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    path = tmp_path_factory.mktemp("own") / "own_algorithms.py"
    path.write_text(MODULE)
    spec = importlib.util.spec_from_file_location("own_algorithms", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def case():
    rng = np.random.default_rng(11)
    m = randoms.tree(rng, ["revolute", "spherical", "prismatic", "helical"])
    return m, *randoms.state(rng, m), rng.normal(size=m.nv)


def test_it_is_checked_and_compiled_as_one_of_ours(own, case):
    m, q, qd, tau = case
    expected = qd @ (tau - wt.gravity_force(m, q))
    assert_allclose(own.power(m, list(q), list(qd), list(tau)), expected, rtol=1e-14)
    k = wt.compile(own.power, m)
    assert_allclose(k(q, qd, tau), expected, rtol=1e-12)
    assert k(np.broadcast_to(q, (3, m.nq)), qd, tau).shape == (3,)
    assert own.power.__doc__.startswith("What the joint forces do")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"q": np.zeros(3)}, r"q has shape \(3,\), expected \(7,\): one entry per coordinate"),
        ({"q": np.zeros(7)}, "quaternion .* has norm 0"),
        ({"qd": np.full(6, np.nan)}, r"qd\[0\] is nan: every entry must be finite"),
        ({"tau": np.zeros(7)}, r"tau has shape \(7,\), expected \(6,\): one entry per velocity"),
        ({"f_ext": np.zeros((4, 3))}, r"f_ext has shape \(4, 3\), expected \(4, 6\): one wrench per body"),
        ({"m": "robot.urdf"}, "power: m is str, expected a Mechanism"),
    ],
)
def test_wrong_arguments_are_refused(own, case, change, message):
    m, q, qd, tau = case
    with pytest.raises(wt.InputError, match=message):
        own.power(**{"m": m, "q": q, "qd": qd, "tau": tau} | change)


def test_a_wrong_call_shows_the_signature(own, case):
    with pytest.raises(TypeError, match=r"power\(m, q, qd, tau, f_ext=None\): missing .* 'qd'"):
        own.power(case[0], case[1])


def test_its_own_names_are_its_own(own, case):
    m, q, *_ = case
    x = np.array([0.3, -0.8])
    assert_allclose(own.stretched(m, q, x), wt.crba(m, q)[:2, :2] @ x, rtol=1e-14)
    with pytest.raises(wt.InputError, match="stretched: the shape of 'x' is not known"):
        wt.compile(own.stretched, m)
    k = wt.compile(own.stretched, m, inputs={"x": (2,)})
    assert_allclose(k(q, x), own.stretched(m, q, x), rtol=1e-12)


def test_frames_may_be_chosen_where_it_says_so(own, case):
    m, q, qd, _ = case
    cheap, plain = wt.compile(own.free, m), wt.compile(wt.checked(own.inertia_along), m)
    expected = own.inertia_along(m, q, qd)
    for k in (cheap, plain):
        assert_allclose(k(q, qd), expected, rtol=1e-12)
    assert sum(cheap.cost.values()) <= sum(plain.cost.values())


def test_what_it_asks_of_a_mechanism_is_asked(own, case):
    m, q, qd, _ = case
    assert_allclose(own.many(m, q, qd), own.inertia_along(m, q, qd), rtol=1e-14)
    with pytest.raises(wt.ModelError, match="inertia_along: 'pendulum' has 1 bodies, expected more than 3"):
        own.many(wt.examples.load("pendulum"), [0.1], [0.2])


def test_divisions_by_zero_and_branches_are_told(own, case):
    m = wt.Mechanism("light")
    m.add_body("arm", wt.Revolute("y"))
    with pytest.raises(wt.SingularError, match="inverted: joint 'arm' of 'light' moves no inertia"):
        own.inverted(m, [0.1])
    with pytest.raises(wt.TraceError, match="decided cannot be compiled: what it does depends"):
        wt.compile(own.decided, case[0])


def test_the_mechanism_comes_first(own):
    with pytest.raises(TypeError, match="aba: the first parameter of a public algorithm is the mechanism m"):
        wt.checked(own.aba)
    with pytest.raises(TypeError, match="the first parameter"):
        wt.checked(lambda: 0.0)


def test_names_of_the_library_stay_those_of_the_library(own, case):
    assert not {"power", "stretched", "inertia_along"} & PUBLIC.keys()
    with pytest.raises(wt.InputError, match="there is no function 'stretched'"):
        case[0].kernel("stretched")
