"""Rollouts with contact: the same whatever else is computed, and what they refuse."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import touching
import whippletree as wt
from whippletree.contact import Compliant, HuntCrossley, KelvinVoigt, Rigid, TwoSurfaces

REST = np.array([0, 0, 0.1, 1, 0, 0, 0.0])


@pytest.mark.parametrize("contacts", ["compliant", "rigid"])
def test_one_trajectory_many_and_threads_are_the_same(contacts):
    m = touching.crate(friction=0.5, stiffness=2e4, damping=100.0)
    rng = np.random.default_rng(0)
    q0, qd0 = np.tile(REST, (11, 1)), rng.normal(size=(11, 6))
    q0[:, 2] += rng.uniform(0.0, 0.1, 11)
    options = {"dt": 1e-3, "steps": 150, "every": 50, "contacts": contacts, "progress": False}
    forces = np.empty((11, 3, 8, 3))
    q, qd = wt.rollout(m, q0, qd0, **options, contact_forces=forces)
    assert np.isfinite(q).all()
    assert forces[:, -1, :, 0].max() > 0.0
    for k in (0, 10):
        own = np.empty((3, 8, 3))
        one = wt.rollout(m, q0[k], qd0[k], **options, contact_forces=own)
        np.testing.assert_array_equal(one[0], q[k])
        np.testing.assert_array_equal(one[1], qd[k])
        np.testing.assert_array_equal(own, forces[k])
    both = wt.rollout(m, q0, qd0, **options, threads=2)  # and without a look at the contacts
    np.testing.assert_array_equal(both[0], q)
    np.testing.assert_array_equal(both[1], qd)
    sent = np.empty_like(forces)
    with ThreadPoolExecutor(1) as executor:
        elsewhere = wt.rollout(m, q0, qd0, **options, executor=executor, contact_forces=sent)
    np.testing.assert_array_equal(elsewhere[0], q)
    np.testing.assert_array_equal(sent, forces)


def test_recorded_steps_are_those_of_the_functions():
    """A step of a rollout is `compliant_forces`, `contact_wrenches` and forward dynamics, by themselves."""
    m = touching.pair(wt.Sphere(0.3), wt.Sphere(0.35), friction=0.5, stiffness=800.0, damping=9.0)
    rng = np.random.default_rng(3)
    q, qd = touching.state(m, rng, apart=0.3)
    h, state = 1e-3, wt.contact.patches_at_rest(m)
    pushed = None
    for _ in range(6):
        pushed = wt.contact.compliant_forces(m, q, qd, state, h)
        state = pushed.state
        f_ext = wt.contact.contact_wrenches(m, q, pushed.forces)
        qdd = wt.aba(m, q, qd, np.zeros(m.nv), f_ext)
        pairs = [
            body.joint.step(q[m.q_index[i]], qd[m.v_index[i]], qdd[m.v_index[i]], h)
            for i, body in enumerate(m.bodies)
        ]
        q, qd = (np.concatenate(parts) for parts in zip(*pairs, strict=True))
    start = touching.state(m, np.random.default_rng(3), apart=0.3)
    forces = np.empty((6, 1, 3))
    rolled = wt.rollout(m, *start, dt=h, steps=6, contacts="compliant", contact_forces=forces)
    assert pushed is not None
    assert forces[-1, 0, 0] > 0.0
    np.testing.assert_allclose(forces[-1], pushed.forces, rtol=1e-9)
    np.testing.assert_allclose(rolled[0][-1], q, rtol=1e-9, atol=1e-12)


def test_contact_forces_do_the_work_of_the_gaps():
    """f_ext·v is forces times contact velocity: the wrenches of both bodies balance (RBDA 11.26)."""
    rng = np.random.default_rng(8)
    m = touching.pair(wt.Sphere(0.2), wt.Box((0.3, 0.5, 0.7)))
    q, qd = touching.state(m, rng)
    forces = rng.normal(size=(len(wt.contact.candidates(m)), 3))
    f_ext = wt.contact.contact_wrenches(m, q, forces)
    power = np.sum(f_ext * wt.dynamics.body_velocities(m, q, qd))
    np.testing.assert_allclose(power, np.sum(forces * wt.contact.contact_velocity(m, q, qd)), rtol=1e-12)


def test_what_rollouts_with_contact_refuse():
    m, soft = touching.crate(), touching.crate(stiffness=1e4, damping=10.0)
    options = {"dt": 1e-3, "steps": 4}
    for contacts, model, told in [
        ("soft", m, r"contacts is 'soft'; known: 'compliant', 'rigid', a wt.contact.Compliant"),
        ("rigid", wt.examples.load("pendulum"), r"'pendulum' has no contact: m.add_contact adds one"),
        (Compliant(pairs={"feet": KelvinVoigt()}), soft, r"has no contact 'feet'; it has rest"),
    ]:
        with pytest.raises(wt.InputError, match=told):
            wt.rollout(
                model,
                np.zeros(model.nq) if model.nq == 1 else REST,
                np.zeros(model.nv),
                **options,
                contacts=contacts,
            )
    stones = touching.pair(touching.MESH, wt.Box((0.3, 0.5, 0.7)))
    with pytest.raises(wt.InputError, match=r"contact 'touch': a mesh on a box is found by search"):
        wt.rollout(stones, stones.neutral(), np.zeros(14), **options, contacts="rigid")
    with pytest.raises(wt.ModelError, match=r"contact 'rest' is rigid, it has no stiffness: give it one"):
        wt.rollout(m, REST, np.zeros(6), **options, contacts="compliant")
    for law, numbers, told in [
        (KelvinVoigt, (-3.0,), r"stiffness is -3.0, expected a number above 0"),
        (KelvinVoigt, (3.0, -1.0), r"damping is -1.0, expected a number, 0 or more"),
        (HuntCrossley, (0.1, 0.5, 1e4), r"exponent is 0.5, expected 1 or more"),
        (TwoSurfaces, ((1e4, 3.0), (1e4, 0.0)), r"TwoSurfaces: b has damping 0, expected a number above 0"),
    ]:
        with pytest.raises(wt.InputError, match=told):
            law(*numbers)
    for arguments, told in [
        ({"contacts": "rigid", "method": "rk4"}, r"rigid contact is stepped by method 'euler', not by 'rk4'"),
        ({"contacts": None, "contact_forces": np.zeros(3)}, r"contact_forces are asked for, but contacts is"),
        ({"contacts": None, "residual": np.zeros(4)}, r"residual is asked for, but contacts is None"),
        ({"contacts": "compliant", "residual": np.zeros(4)}, r"residual is that of rigid contact"),
        ({"contacts": "rigid", "residual": np.zeros(3)}, r"residual is float64 \(3,\), expected .* \(4,\)"),
        ({"contacts": "rigid", "contact_forces": [1.0]}, r"contact_forces is list, expected .* \(4, 8, 3\)"),
    ]:
        with pytest.raises(wt.InputError, match=told):
            wt.rollout(soft, REST, np.zeros(6), **options, **arguments)
    for settings, told in [
        ({"sweeps": 0}, r"sweeps is 0, expected a whole number, 1 … "),
        ({"rounds": 1.5}, r"rounds is 1.5, expected a whole number"),
        ({"push_out": 1.5}, r"push_out is 1.5, expected a share from 0 to 1"),
        ({"push_speed": -1.0}, r"push_speed is -1.0, expected a number, 0 or more"),
    ]:
        with pytest.raises(wt.InputError, match=told):
            Rigid(**settings)
    for names, more, told in [
        (("steel", "cheese"), {}, r"there is no material 'cheese'; there are aluminium"),
        (("ice", "wood"), {}, r"the friction of ice on wood is not in the table"),
        (("ice", "steel"), {"radius": 0.0}, r"radius is 0.0, expected a number above 0"),
        (("ice", "steel"), {"restitution": 1.2}, r"restitution is 1.2, expected a share"),
    ]:
        with pytest.raises(wt.InputError, match=told):
            wt.contact.contact_numbers(*names, **{"radius": 0.01, "mass": 1.0, **more})


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"law": "spring"}, r"law is 'spring', expected a law, as wt.contact.KelvinVoigt\(\)"),
        ({"law": KelvinVoigt}, r"law is <class .*, expected a law"),
        ({"pairs": {"rest": 3.0}}, r"the law of 'rest' is 3.0, expected a law"),
        ({"pairs": "rest"}, r"pairs is 'rest', expected laws by the names of contacts"),
    ],
)
def test_what_is_no_law_of_surfaces_is_told(given: dict[str, Any], told: str) -> None:
    with pytest.raises(wt.InputError, match=told):
        Compliant(**given)


def test_steps_that_are_too_long_for_a_surface_are_told():
    m = touching.crate(friction=0.5, stiffness=1e7, damping=10.0)
    limit = wt.contact.step_limits(m, REST).min()
    told = rf"dt is 0.01 s, more than the {limit:.3g} s with which 'hull' on 'floor' \(contact 'rest'"
    with pytest.warns(wt.StepLengthWarning, match=told):
        wt.rollout(m, REST, np.zeros(6), dt=1e-2, steps=4, contacts="compliant")


@pytest.mark.parametrize("joint", [wt.Free(), wt.Planar()])
def test_velocities_in_the_axes_of_the_beginning(joint):
    """u = qd + h (qdd + turning) moves the body as the stepped velocity does, in axes that have turned."""
    rng = np.random.default_rng(6)
    q, h = joint.random(rng), 0.05
    qd, qdd = rng.normal(size=(2, joint.nv))
    new_q, new_qd = joint.step(q, qd, qdd, h)
    u = qd + h * (qdd + joint.turning(q, qd))
    place = slice(0, 3) if isinstance(joint, wt.Free) else slice(1, 3)
    np.testing.assert_allclose(joint.rate(q, u)[place], joint.rate(new_q, new_qd)[place], atol=1e-14)
    np.testing.assert_allclose(new_q[place] - q[place], h * joint.rate(q, u)[place], atol=1e-14)


def test_impulses_would_tear_gears():
    m = wt.Mechanism("geared")
    for k, name in enumerate(("one", "two")):
        m.add_body(name, wt.Prismatic("z"), placement=wt.Placement((k, 0, 0)), inertia=wt.Inertia(1.0 + k))
        m.add_shape(f"{name} tip", wt.Sphere(0.1), name)
    m.add_shape("floor", wt.Plane())
    m.add_gear("rack", "one", "two", 2.0)
    m.add_contact("rest", "one tip", "floor")
    options = {"dt": 1e-3, "steps": 400, "contacts": "rigid"}
    with pytest.raises(wt.InputError, match=r"tear the gears of 'geared' apart.*dynamics='lambda-first'"):
        wt.rollout(m, [0.2, 0.4], [0.0, 0.0], **options, dynamics="geared")
    q, _ = wt.rollout(m, [0.2, 0.4], [0.0, 0.0], **options)
    np.testing.assert_allclose(q[-1], [0.1, 0.2], atol=1e-9)
