"""Other body frames, the same mechanism.

Source of truth: what does not depend on body frames, computed in the user's frames.
"""

import functools

import numpy as np
import pytest
from numpy.testing import assert_allclose

import randoms
import whippletree as wt
from whippletree.checks.frames import reframe
from whippletree.spatial import ArticulatedInertia, Transform, TransformProduct
from whippletree.spatial.rotate import AxialRotation
from whippletree.spatial.rotation import exp
from whippletree.spatial.shift import AxialShift

assert_close = functools.partial(assert_allclose, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("seed", range(10))
def test_reframed_mechanism_has_the_same_dynamics(seed):
    rng = np.random.default_rng(seed)
    m = randoms.tree(rng, list(rng.permutation(list(randoms.JOINTS))))
    q, qd = randoms.state(rng, m)
    tau = rng.normal(size=m.nv)
    cheap = reframe(m)
    moved = q + cheap.offset
    scale = np.abs(wt.crba(m, q)).max()
    assert_allclose(wt.crba(cheap.mechanism, moved), wt.crba(m, q), rtol=1e-12, atol=1e-13 * scale)
    assert_allclose(wt.aba(cheap.mechanism, moved, qd, tau), wt.aba(m, q, qd, tau), rtol=1e-11, atol=1e-11)
    assert_allclose(wt.kinetic_energy(cheap.mechanism, moved, qd), wt.kinetic_energy(m, q, qd), rtol=1e-12)


@pytest.mark.parametrize("seed", range(10))
def test_frames_may_be_chosen_twice(seed):
    rng = np.random.default_rng(seed)
    m = randoms.tree(rng, list(rng.permutation(list(randoms.JOINTS))))
    q, qd = randoms.state(rng, m)
    once = reframe(m)
    twice = reframe(once.mechanism)
    for body, X in zip(once.mechanism.bodies, once.mechanism.X_T, strict=True):
        assert_close(body.placement.transform().matrix(), X.matrix())
    expected = wt.rnea(m, q, qd, qd)
    actual = wt.rnea(twice.mechanism, q + once.offset + twice.offset, qd, qd)
    assert_allclose(actual, expected, rtol=1e-11, atol=1e-12 * np.abs(expected).max())


@pytest.mark.parametrize("tilt", [1e-3, 1e-5, 3.7e-6, 1e-9, 1e-13, np.pi - 1e-6, np.pi, np.pi / 2 - 4e-6])
def test_nearly_parallel_axes_lose_no_digits(tilt):
    rng = np.random.default_rng(1)
    m = wt.Mechanism("tilted")
    for k in range(5):
        place = wt.Placement(rng.normal(size=3), rpy=(tilt, 0.0, rng.normal()))
        m.add_body(
            f"b{k}", wt.Revolute("z"), "ground" if k == 0 else f"b{k - 1}", place, randoms.inertia(rng)
        )
    q, qd = randoms.state(rng, m)
    cheap = reframe(m)
    expected = wt.rnea(m, q, qd, qd)
    actual = wt.rnea(cheap.mechanism, q + cheap.offset, qd, qd)
    assert_allclose(actual, expected, rtol=1e-12, atol=1e-13 * np.abs(expected).max())


@pytest.mark.parametrize("axes", ["zzz", "zyx", "xxy"])
def test_coordinate_axes_need_no_general_rotation(axes):
    m = wt.Mechanism("arm")
    for k, axis in enumerate(axes):
        parent = "ground" if k == 0 else f"link{k - 1}"
        m.add_body(f"link{k}", wt.Revolute(axis), parent, wt.Placement((0.1, 0.2, 0.3)), wt.Inertia(1.0))
    for X in reframe(m).mechanism.X_T:
        for step in X.steps:
            assert set(np.abs(step.E).flat) <= {0.0, 1.0}


@pytest.mark.parametrize("seed", range(5))
def test_a_chain_takes_two_axial_screws_a_body(seed):
    """RBDA §A.4: Denavit-Hartenberg frames are one screw about x and one about z apart."""
    rng = np.random.default_rng(seed)
    m = randoms.tree(rng, ["revolute"] * 6, branching=0.0)
    cheap, q = reframe(m).mechanism, rng.normal(size=6)
    for i in range(1, 6):
        X = cheap.bodies[i].joint.transform(q[i : i + 1]) @ cheap.X_T[i]
        assert len(X.steps) == 2
        for step in X.steps:
            assert isinstance(step.rotation, AxialRotation)
            assert isinstance(step.shift, AxialShift)
            assert step.rotation.k == step.shift.k


@pytest.mark.parametrize("seed", range(5))
def test_product_acts_as_the_transform_it_makes(seed):
    rng = np.random.default_rng(seed)
    parts = [Transform(exp(rng.normal(size=3)), rng.normal(size=3)) for _ in range(3)]
    product = TransformProduct(*parts)
    whole = parts[0] @ parts[1] @ parts[2]
    m, f = rng.normal(size=(6, 2)), rng.normal(size=6)
    assert_close(product.matrix(), whole.matrix())
    assert_close(product @ m, whole @ m)
    assert_close(product.T @ f, whole.T @ f)
    assert_close(product.force(f), whole.force(f))
    assert_close(product.inverse_motion(m), whole.inverse_motion(m))
    assert_close(product.rotate(f[:3]), whole.rotate(f[:3]))
    longer, more = parts[1] @ product, parts[1] @ whole
    assert isinstance(longer, TransformProduct)
    assert_close(longer @ m, more @ m)
    shifted = parts[1] @ TransformProduct(Transform(np.eye(3), rng.normal(size=3)), parts[0])
    assert len(shifted.steps) == 2
    for inertia in (randoms.inertia(rng), ArticulatedInertia.rigid(randoms.inertia(rng))):
        assert_close(inertia.to_parent(product).matrix(), inertia.to_parent(whole).matrix())
        assert_close(inertia.to_child(product).matrix(), inertia.to_child(whole).matrix())


@pytest.mark.parametrize("seed", range(10))
def test_newton_euler_with_3d_vectors_agrees(seed):
    rng = np.random.default_rng(seed)
    m = randoms.tree(rng, list(rng.permutation(list(randoms.JOINTS))))
    q, qd = randoms.state(rng, m)
    qdd, f_ext = rng.normal(size=m.nv), rng.normal(size=(len(m), 6))
    expected = wt.rnea(m, q, qd, qdd, f_ext)
    actual = wt.dynamics.newton_euler(m, q, qd, qdd, f_ext)
    assert_allclose(actual, expected, rtol=1e-11, atol=1e-12 * np.abs(expected).max())
