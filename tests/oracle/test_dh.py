"""Denavit-Hartenberg tables against the textbooks' 4×4 matrices and against each other."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import randoms
import whippletree as wt
from poses import pose


def classic_matrix(a: float, alpha: float, d: float, theta: float) -> np.ndarray:
    """Pose of frame i in frame i-1, entry by entry as Paul prints it."""
    ct, st, ca, sa = np.cos(theta), np.sin(theta), np.cos(alpha), np.sin(alpha)
    return np.array(
        [[ct, -st * ca, st * sa, a * ct], [st, ct * ca, -ct * sa, a * st], [0, sa, ca, d], [0, 0, 0, 1]]
    )


def modified_matrix(a: float, alpha: float, d: float, theta: float) -> np.ndarray:
    """Pose of frame i in frame i-1, entry by entry as Craig prints it (3.6)."""
    ct, st, ca, sa = np.cos(theta), np.sin(theta), np.cos(alpha), np.sin(alpha)
    return np.array(
        [[ct, -st, 0, a], [st * ca, ct * ca, -sa, -sa * d], [st * sa, ct * sa, ca, ca * d], [0, 0, 0, 1]]
    )


JOINTS: list[Callable[[], Any]] = [
    wt.Revolute,
    wt.Prismatic,
    lambda: wt.Revolute("-z"),
    wt.Cylindrical,
    lambda: wt.Helical("z", pitch=0.17),
    wt.Revolute,
]


def motion(joint: wt.Joint, q: np.ndarray) -> tuple[float, float]:
    """What a joint at q adds to (theta, d)."""
    if isinstance(joint, wt.Revolute):
        return q[0] * joint.axis[2], 0.0
    if isinstance(joint, wt.Prismatic):
        return 0.0, q[0]
    if isinstance(joint, wt.Helical):
        return q[0], joint.pitch * q[0]
    return q[0], q[1]


@pytest.mark.parametrize("convention", ["modified", "classic"])
def test_frames_are_where_the_textbook_puts_them(convention: str) -> None:
    rng = np.random.default_rng(4)
    rows = [
        wt.DH(
            a=rng.normal(),
            alpha=rng.normal(),
            d=rng.normal(),
            theta=rng.normal(),
            joint=make(),
            inertia=randoms.inertia(rng),
        )
        for make in JOINTS
    ]
    base, tool = randoms.placement(rng), randoms.placement(rng)
    m = wt.from_dh("arm", rows, convention=convention, base=base, tool=tool)
    q = m.random(rng)
    matrix, suffix = (modified_matrix, "") if convention == "modified" else (classic_matrix, "_dh")
    expected = base.transform().homogeneous()
    for i, row in enumerate(rows):
        turn, slide = motion(row.joint, q[m.q_index[i]])
        expected = expected @ matrix(row.a, row.alpha, row.d + slide, row.theta + turn)
        np.testing.assert_allclose(pose(m, q, f"link{i + 1}{suffix}"), expected, rtol=0, atol=1e-13)
    expected = expected @ tool.transform().homogeneous()
    np.testing.assert_allclose(pose(m, q, "tool"), expected, rtol=0, atol=1e-13)


def test_both_conventions_of_one_arm_have_the_same_dynamics() -> None:
    """a and alpha of a classic row stand in the next row of the modified table."""
    rng = np.random.default_rng(5)
    n = 5
    a, alpha = rng.normal(size=(2, n + 1))
    d, theta = rng.normal(size=(2, n))
    base = wt.Placement((a[0], 0, 0), rpy=(alpha[0], 0, 0))
    inertias = [randoms.inertia(rng) for _ in range(n)]
    joints = [make() for make in JOINTS[:n]]
    modified = [
        wt.DH(a=a[i], alpha=alpha[i], d=d[i], theta=theta[i], joint=joints[i], inertia=inertias[i])
        for i in range(n)
    ]
    far_ends = [wt.Placement((a[i + 1], 0, 0), rpy=(alpha[i + 1], 0, 0)).transform() for i in range(n)]
    classic = [
        wt.DH(
            a=a[i + 1],
            alpha=alpha[i + 1],
            d=d[i],
            theta=theta[i],
            joint=joints[i],
            inertia=inertias[i].to_child(far_ends[i]),
        )
        for i in range(n)
    ]
    m0 = wt.from_dh("arm", modified, convention="modified")
    m1 = wt.from_dh("arm", classic, convention="classic", base=base)
    q, qd = randoms.state(rng, m0)
    qdd = rng.normal(size=m0.nv)
    np.testing.assert_allclose(wt.rnea(m0, q, qd, qdd), wt.rnea(m1, q, qd, qdd), rtol=1e-11)


def test_right_angles_are_exact() -> None:
    m = wt.from_dh("arm", [wt.DH(alpha=-np.pi / 2, theta=np.pi)], convention="modified")
    assert set(m.X_T[0].E.flat) <= {-1.0, 0.0, 1.0}


def test_names_and_joint_properties_are_kept() -> None:
    row = wt.DH(
        d=0.3,
        name="column",
        joint_name="lift",
        joint=wt.Prismatic("z"),
        limits=wt.Limits(0.1, 0.7, 2.0, 300.0),
        armature=0.2,
        damping=0.3,
        friction=0.4,
    )
    (body,) = wt.from_dh("lift", [row], convention="modified", gravity=(0, 0, -1.62)).bodies
    assert (body.name, body.joint_name, body.joint) == ("column", "lift", wt.Prismatic("z"))
    assert (body.limits, body.armature, body.damping, body.friction) == (row.limits, 0.2, 0.3, 0.4)


MESSAGES: list[tuple[Callable[[], Any], str]] = [
    (
        lambda: wt.from_dh("arm", [wt.DH()], convention="craig"),
        'convention is \'craig\': give "modified" or "classic"',
    ),
    (
        lambda: wt.from_dh("arm", [], convention="classic"),
        "'arm' has an empty Denavit-Hartenberg table: give one row a joint",
    ),
    (
        lambda: wt.from_dh("arm", [(0, 0, 1, 0)], convention="classic"),  # pyright: ignore[reportArgumentType]
        "row 1 of 'arm' is (0, 0, 1, 0): give wt.DH(a=…, alpha=…, d=…, theta=…)",
    ),
    (
        lambda: wt.DH(alpha=float("nan")),
        "DH parameter alpha is nan: give a finite number, in rad",
    ),
    (
        lambda: wt.DH(d="1"),  # pyright: ignore[reportArgumentType]
        "DH parameter d is '1': give a finite number, in m",
    ),
    (
        lambda: wt.DH(joint=wt.Revolute("x")),
        "a DH row has the joint Revolute(axis=(1.0, 0.0, 0.0)): "
        "give Revolute, Prismatic, Cylindrical or Helical along z",
    ),
    (
        lambda: wt.DH(joint=wt.Spherical()),
        "a DH row has the joint Spherical(): give Revolute, Prismatic, Cylindrical or Helical along z",
    ),
]


@pytest.mark.parametrize(("call", "message"), MESSAGES, ids=[message for _, message in MESSAGES])
def test_wrong_tables_are_refused(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(wt.ModelError) as error:
        call()
    assert str(error.value) == message
