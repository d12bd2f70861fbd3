"""The recipes of CONTRIBUTING.md, each followed in a package outside the source, with nothing else touched.

Source of truth: what the recipes promise, and the library's own methods, integrators and numbers.
"""

import importlib
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from typer.testing import CliRunner

import randoms
import whippletree as wt
from whippletree.api.forward_methods import METHODS
from whippletree.cli.app import app
from whippletree.io import FORMATS, Problem, problems
from whippletree.model.kinds import KINDS, unregister
from whippletree.shapes import SHAPES
from whippletree.simulation.integrators import INTEGRATORS

TEXT = (Path(__file__).parents[2] / "CONTRIBUTING.md").read_text()
RECIPES = dict(re.findall(r"^```python (\w+)\n(.*?)^```", TEXT, flags=re.DOTALL | re.MULTILINE))
TABLES: list[dict[str, Any]] = [INTEGRATORS, METHODS, FORMATS, SHAPES]

Follow = Callable[[str], ModuleType]


@pytest.fixture
def follow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Follow]:
    """Writes code into a package, perhaps over what was there, and imports it; undone after the test."""
    before, kinds = [dict(table) for table in TABLES], set(KINDS)
    package = tmp_path / "packages" / "harness"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text('"""Parts of a user."""\n')
    monkeypatch.syspath_prepend(package.parent)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)

    def forget() -> None:
        for name in [name for name in sys.modules if name.partition(".")[0] == "harness"]:
            del sys.modules[name]

    def written(code: str) -> ModuleType:
        forget()
        (package / "own.py").write_text(code)
        importlib.invalidate_caches()
        return importlib.import_module("harness.own")

    yield written
    forget()
    for table, rows in zip(TABLES, before, strict=True):
        table.clear()
        table.update(rows)
    for name in set(KINDS) - kinds:
        unregister(name)


def test_there_is_a_recipe_for_everything() -> None:
    assert set(RECIPES) == {"joint", "algorithm", "integrator", "method", "kind", "format"}
    assert all(f"| {new} |" in TEXT for new in ("shape", "formulation", "method of forward dynamics"))
    rooms = Path(wt.__file__).parent
    table = TEXT[TEXT.index("## Recipes") :]
    for row in re.findall(r"^\| (?!new|-)[^|]*\|([^|]*)\|([^|]*)\|", table, flags=re.MULTILINE):
        for name in re.findall(r"`(\w[\w/]*(?:/|\.py))`", row[0] + row[1]):
            path = rooms / name
            assert name == "__init__.py" or path.exists() or [*rooms.rglob(name)], name


# A joint


@pytest.mark.parametrize("seed", range(4))
def test_a_joint(seed: int, follow: Follow, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    own = follow(RECIPES["joint"])
    monkeypatch.setitem(randoms.JOINTS, "cam", lambda rng: own.Cam(rng.uniform(0.1, 0.4)))
    rng = np.random.default_rng(seed)
    m = randoms.tree(rng, [str(name) for name in rng.permutation(["cam", "cam", "revolute", "spherical"])])
    (q, qd), tau = randoms.state(rng, m), rng.normal(size=m.nv)
    qdd = wt.aba(m, q, qd, tau)
    assert_allclose(wt.crba(m, q) @ qdd + wt.bias_force(m, q, qd), tau, rtol=1e-10, atol=1e-11)
    assert_allclose(wt.rnea(m, q, qd, qdd), tau, rtol=1e-10, atol=1e-11)
    for name in wt.methods(m):
        assert_allclose(wt.forward_dynamics(m, q, qd, tau, method=name), qdd, rtol=1e-9, atol=1e-10)
    assert_allclose(wt.compile(wt.aba, m)(q, qd, tau), qdd, rtol=1e-10, atol=1e-11)
    run = wt.simulate(m, q, qd, duration=0.1, rtol=1e-10, atol=1e-12)
    assert np.ptp(run.energy) < 1e-7 * np.max(np.abs(run.energy))
    with pytest.raises(wt.FileError, match="the joint type Cam is not one of Whippletree's own, which are"):
        wt.save(m, tmp_path / "m.toml")


# An algorithm


def test_an_algorithm(follow: Follow) -> None:
    own = follow(RECIPES["algorithm"])
    rng = np.random.default_rng(3)
    m = randoms.tree(rng, ["revolute", "spherical", "prismatic"])
    q, f_ext = m.random(rng), rng.normal(size=(3, 6))
    expected = wt.rnea(m, q, np.zeros(m.nv), np.zeros(m.nv), f_ext)
    assert_allclose(own.holding_force(m, list(q), f_ext), expected, rtol=1e-14)
    assert_allclose(own.holding_force(m, q), wt.gravity_force(m, q), rtol=1e-12, atol=1e-13)
    assert_allclose(wt.compile(own.holding_force, m)(q), wt.gravity_force(m, q), rtol=1e-11, atol=1e-12)
    with pytest.raises(wt.InputError, match=r"q has shape \(2,\), expected \(6,\): one entry per coordinate"):
        own.holding_force(m, q[:2])


# An integrator

Q0, QD0 = [0.4, -0.9], [1.1, 0.3]


def ends(method: str, steps: int, **options: Any) -> list[np.ndarray]:
    """The last state of half a second of a double pendulum, by `simulate` and by `rollout`."""
    m, dt = wt.examples.load("double-pendulum"), 0.5 / steps
    run = wt.simulate(m, Q0, QD0, 0.5, method=method, dt=dt, **options)
    q, qd = wt.rollout(m, Q0, QD0, steps=steps, every=steps, dt=dt, method=method, **options)
    return [np.concatenate([run.q[-1], run.qd[-1]]), np.concatenate([q[-1], qd[-1]])]


def test_an_integrator(follow: Follow) -> None:
    follow(RECIPES["integrator"])
    exact = ends("rk6", 800)[0]
    errors = []
    for steps in (200, 400):
        alone, together = ends("heun", steps)
        assert_allclose(alone, together, rtol=1e-12)
        errors.append(float(np.linalg.norm(together - exact)))
    assert errors[1] > 1e-7
    assert np.log2(errors[0] / errors[1]) == pytest.approx(INTEGRATORS["heun"].order, abs=0.1)
    m = wt.examples.load("four-bar")
    q = wt.assemble(m, m.neutral())
    run = wt.simulate(m, q, duration=0.05, method="heun")
    assert np.max(np.abs(run.constraint_error)) < 1e-13


def test_a_changed_integrator_is_recorded_anew(follow: Follow) -> None:
    follow(RECIPES["integrator"])
    first = ends("heun", 50)
    assert_allclose(ends("heun", 50), first, rtol=0, atol=0)
    follow(RECIPES["integrator"].replace("0.5 * h * (first", "h * (0.0 * first"))  # the later slope alone
    with pytest.warns(wt.EnergyWarning, match="reduce dt"):
        second = ends("heun", 50)
    assert np.min(np.abs(np.subtract(first, second))) > 1e-4
    assert_allclose(*second, rtol=1e-12)


def test_an_integrator_that_decides_by_values(follow: Follow) -> None:
    code = RECIPES["integrator"].replace("= 2\n", "= 2\n    recordable = False\n")
    follow(code.replace("first = system", "assert y[0] < 9.0\n        first = system"))
    m = wt.examples.load("double-pendulum")
    assert wt.simulate(m, Q0, QD0, 0.01, method="heun").method == "heun"
    with pytest.raises(wt.InputError, match=r"method is 'heun'; known: euler, rk4, rk6$"):
        wt.rollout(m, Q0, QD0, steps=3, method="heun")


# A method of forward dynamics


def ball_and_arm() -> wt.Mechanism:
    rng = np.random.default_rng(8)
    m = wt.Mechanism("ball-and-arm", gravity=(0.4, -0.3, -9.0))
    m.add_body("ball", wt.Spherical(), inertia=randoms.inertia(rng), damping=0.2)
    limits = wt.Limits(effort=0.7)
    m.add_body("arm", wt.Revolute("y"), "ball", randoms.placement(rng), randoms.inertia(rng), limits=limits)
    m.add_spring("s", "ground", (0.1, 0.2, -1.0), "arm", (0.1, 0.0, 0.2), 20.0, 0.5, 0.2)
    return m


@pytest.mark.parametrize("method", ["euler", "midpoint", "rk4", "DOP853", "Radau"])
def test_a_method_of_forward_dynamics(method: str, follow: Follow) -> None:
    follow(RECIPES["method"])
    m = ball_and_arm()
    q0, qd0 = m.random(np.random.default_rng(1)), [0.3, -0.5, 0.7, 0.9]
    assert wt.methods(m)[0] == "crba"
    assert wt.methods(m)[-1] == "matrix"
    options: dict[str, Any] = {"implicit_damping": 0.3} if method == "euler" else {}
    options |= {"dt": 0.005} if method in INTEGRATORS else {"rtol": 1e-10, "atol": 1e-12, "sample": 0.01}
    own, ours = (
        wt.simulate(
            m,
            q0,
            qd0,
            0.1,
            lambda t, q, qd: -0.4 * qd + t,
            method,
            dynamics=dynamics,
            external=lambda t, q, qd: {"arm": [0.1, 0.2, 0.3, q[1], 0.5, t]},
            events=[wt.Event(lambda t, q, qd: t - 0.0345, name="mark")],
            **options,
        )
        for dynamics in ("matrix", "crba")
    )
    assert (own.dynamics, ours.dynamics) == ("matrix", "crba")
    # Stages of a step that leave the sphere of quaternions are seen on it: another method of the same order.
    tolerance = {"rk4": 1e-8, "DOP853": 1e-8, "Radau": 1e-8}.get(method, 1e-12)
    assert_allclose(own.q, ours.q, rtol=0, atol=tolerance)
    assert_allclose(own.qd, ours.qd, rtol=0, atol=10.0 * tolerance)
    assert [event.t for event in own.events] == pytest.approx([0.0345])


def test_a_method_of_forward_dynamics_has_the_same_numbers(follow: Follow) -> None:
    """Without quaternions there is nothing to be brought back: the plain function is the kernel's."""
    follow(RECIPES["method"])
    m = wt.examples.load("double-pendulum")
    for method in ("auto", "rk4", "rk6", "midpoint"):
        # What is not machine code takes the steps that SciPy chooses, others than ours.
        tight: dict[str, Any] = {"rtol": 1e-12, "atol": 1e-14} if method == "auto" else {}
        own, ours = (
            wt.simulate(m, Q0, QD0, 0.2, method=method, dynamics=name, **tight) for name in ("matrix", "aba")
        )
        assert own.method == ours.method
        assert_allclose(own.q[-1], ours.q[-1], rtol=1e-11)
        assert_allclose(own.qd[-1], ours.qd[-1], rtol=1e-11)


def test_a_rollout_takes_only_what_can_be_recorded(follow: Follow) -> None:
    follow(RECIPES["method"])
    m = wt.examples.load("double-pendulum")
    others = ", ".join(name for name in wt.methods(m) if name != "matrix")
    message = (
        "dynamics 'matrix' cannot be recorded, and a rollout is machine code throughout: give one of "
        f"{others}, or use simulate"
    )
    with pytest.raises(wt.InputError, match=f"^{message}$"):
        wt.rollout(m, Q0, QD0, steps=3, dynamics="matrix")
    assert "solve_spd" in RECIPES["method"] + TEXT
    code = RECIPES["method"].replace("np.linalg.solve", "solve_spd").replace(", recordable=False", "")
    follow(f"from whippletree.spatial import solve_spd\n{code}")
    for own, ours in zip(ends("rk4", 50, dynamics="matrix"), ends("rk4", 50), strict=True):
        assert_allclose(own, ours, rtol=1e-11)


def test_a_method_that_does_not_say_it_cannot_be_recorded_is_told(follow: Follow) -> None:
    follow(RECIPES["method"].replace(", recordable=False", ""))
    with pytest.raises(wt.TraceError, match=r"own\.py, line \d+:\n.*np\.linalg\.solve[^$]*recordable=False"):
        wt.simulate(wt.examples.load("double-pendulum"), Q0, QD0, 0.1, dynamics="matrix")


@pytest.mark.parametrize("recordable", [True, False])
def test_a_changed_method_is_recorded_anew(recordable: bool, follow: Follow) -> None:
    code = RECIPES["method"].replace("recordable=False", f"recordable={recordable}")
    code = "from whippletree.spatial import solve_spd\n" + code.replace("np.linalg.solve", "solve_spd")
    m, found = wt.examples.load("double-pendulum"), []
    for factor in (1.0, 2.0, 1.0):
        follow(code.replace("tau - wt", f"tau - {factor} * wt"))
        # Twice the forces of motion are no forces of this mechanism, and its energy tells.
        with pytest.warns(wt.EnergyWarning, match="gains") if factor == 2.0 else nullcontext():
            run = wt.simulate(m, Q0, QD0, 0.1, method="rk4", dynamics="matrix")
        found.append([run.q[-1], run.qd[-1]])
        if recordable:
            q, qd = wt.rollout(m, Q0, QD0, steps=100, every=100, method="rk4", dynamics="matrix")
            assert_allclose([q[-1], qd[-1]], found[-1], rtol=1e-11)
    assert np.min(np.abs(np.subtract(found[0], found[1]))) > 1e-4
    assert_allclose(found[0], found[2], rtol=1e-14)


def test_a_method_that_finds_no_accelerations_ends_the_run(follow: Follow) -> None:
    fault = "if q[0] > 1.2:\n        raise np.linalg.LinAlgError('singular')\n    return np"
    follow(RECIPES["method"].replace("return np", fault))
    m = wt.examples.load("cart-pole")
    with pytest.raises(
        wt.SimulationError, match="the motion of joint 'cart' became NaN or infinite"
    ) as caught:
        wt.simulate(m, [1.0, 0.1], [1.0, 0.0], 1.0, method="rk4", dynamics="matrix")
    assert 0.15 < caught.value.time < 0.25
    assert 1.1 < caught.value.trajectory.q[-1, 0] <= 1.2  # pyright: ignore[reportAttributeAccessIssue]


@pytest.mark.parametrize("recordable", [True, False])
def test_accelerations_of_a_wrong_shape_are_refused(recordable: bool, follow: Follow) -> None:
    code = RECIPES["method"].replace("return np.linalg.solve", "return wt.crba(m, q)  # ")
    follow(code.replace("recordable=False", f"recordable={recordable}"))
    m = wt.examples.load("double-pendulum")
    message = (
        r"dynamics gives accelerations of shape \(2, 2\), expected \(2,\): one entry per velocity of 'do"
    )
    with pytest.raises(wt.InputError, match=message):
        wt.simulate(m, Q0, QD0, 0.1, dynamics="matrix")


FORMULATION = '''
"""Constraint forces λ of loops: (K H⁻¹ Kᵀ + d 1) λ = k - K H⁻¹ (tau - C), d too small to show."""

import numpy as np
import whippletree as wt
from whippletree.api.forward_methods import METHODS, Method
from whippletree.model.requirements import with_constraints
from whippletree.spatial import solve_spd


def damped(m, q, qd, tau, f_ext=None, stabilization=None):
    H, K = wt.crba(m, q), wt.constraint_jacobian(m, q)
    free = SOLVE(H, tau - wt.bias_force(m, q, qd, f_ext))
    k = wt.constraint_bias(m, q, qd, stabilization)
    by_forces = SOLVE(H, K.T)
    forces = SOLVE(K @ by_forces + 1e-9 * np.eye(len(K)), k - K @ free)
    return free + by_forces @ forces


METHODS["damped"] = Method(damped, (with_constraints,), recordable=RECORDABLE)
'''


@pytest.mark.parametrize(("solve", "recordable"), [("solve_spd", True), ("np.linalg.solve", False)])
def test_a_formulation_for_loops_that_chooses_nothing(solve: str, recordable: bool, follow: Follow) -> None:
    follow(FORMULATION.replace("SOLVE", solve).replace("RECORDABLE", str(recordable)))
    m = wt.examples.load("four-bar")
    q = wt.assemble(m, np.array([1.0, 0.0, 0.0]), hold=["crank"])
    qd = wt.project_velocity(m, q, np.array([3.0, 0.0, 0.0]), hold=["crank"])
    own, ours = (
        wt.simulate(m, q, qd, 0.2, method="rk4", dt=0.005, dynamics=name) for name in ("damped", "grcr")
    )
    assert np.max(np.abs(own.constraint_error)) < 1e-13
    assert_allclose(own.q[-1], ours.q[-1], rtol=0, atol=1e-6)
    pulled = wt.simulate(m, q, qd, 0.1, method="rk4", dt=0.005, dynamics="damped", stabilization=0.05)
    assert 1e-13 < np.max(np.abs(pulled.constraint_error)) < 1e-4
    if recordable:
        steps, _ = wt.rollout(m, q, qd, steps=40, every=40, dt=0.005, method="rk4", dynamics="damped")
        assert np.max(np.abs(wt.constraint_error(m, steps[-1]))) < 1e-11
        assert_allclose(steps[-1], own.q[-1], rtol=0, atol=1e-6)


# A part kind


def test_a_part_kind(follow: Follow, tmp_path: Path) -> None:
    own = follow(RECIPES["kind"])
    m = wt.examples.load("double-pendulum")
    m.add(own.Motor("drive", "lower", gain=2.5))
    wt.save(m, tmp_path / "m.toml")
    assert wt.load(tmp_path / "m.toml") == m
    assert '[[motor]]\nname = "drive"\njoint = "lower"\ngain = 2.5\n' in (tmp_path / "m.toml").read_text()
    m.change("drive", gain=3.5)
    assert wt.load(tmp_path / "m.toml") != m
    (servo,) = wt.rename(m, joints={"lower": "knee"}, motors={"drive": "servo"}).parts("motor")
    assert servo == own.Motor("servo", "knee", 3.5)
    both = wt.attach(m, m, "tip", prefix="x_")
    assert [(motor.name, motor.joint) for motor in both.parts("motor")] == [
        ("drive", "lower"),
        ("x_drive", "x_lower"),
    ]
    assert "motors:\n  drive: joint lower, gain 3.5\n" in m.summary() + "\n"
    assert wt.lock(m, {"lower": 0.2}).warnings == ["motor 'drive' is left out: joint 'lower' is locked"]


# A shape

CONE = '''
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import whippletree as wt
from whippletree.shapes import SHAPES
from whippletree.shapes.revolved import revolved


@dataclass(frozen=True)
class Cone(wt.Shape):
    """A cone around z, its base in the plane z = 0, m."""

    kind: ClassVar[str] = "cone"
    radius: float
    height: float

    def inertia(self, *, mass=None, density=None, placement=None):
        r, h = self.radius, self.height
        mass = density * np.pi * r * r * h / 3.0 if mass is None else mass
        across = mass * (3.0 / 20.0 * r * r + 3.0 / 80.0 * h * h)
        made = wt.Inertia(mass, (0.0, 0.0, 0.25 * h), (across, across, 0.3 * mass * r * r))
        return made if placement is None else made.to_parent(placement.transform)

    def support(self, direction):
        x, y, z = direction
        across = np.hypot(x, y)
        if z * self.height > across * self.radius:
            return np.array([0.0, 0.0, self.height])
        return self.radius * np.array([x, y, 0.0]) / across if across else np.zeros(3)

    def bounds(self):
        r = self.radius
        return np.array([-r, -r, 0.0]), np.array([r, r, self.height])

    def triangles(self):
        return revolved(np.array([(0.0, 0.0), (self.radius, 0.0), (0.0, self.height)]))

    def saved(self):
        return {"size": (self.radius, self.height)}

    @classmethod
    def read(cls, saved):
        return cls(*saved["size"])


SHAPES[Cone.kind] = Cone
'''


def test_a_shape(follow: Follow, tmp_path: Path) -> None:
    own = follow(CONE)
    cone = own.Cone(0.2, 0.6)
    m = wt.examples.load("double-pendulum")
    m.add_shape("hat", cone, "lower", wt.Placement((0.1, 0.2, 0.3)))
    m.change("upper", visuals=(wt.Geometry(cone),))
    wt.save(m, tmp_path / "m.toml")
    assert wt.load(tmp_path / "m.toml") == m
    assert "hat: shape cone (0.2, 0.6), body lower" in m.summary()
    points, faces = cone.triangles()
    exact, flat = cone.inertia(density=900.0), wt.Inertia.polyhedron(points, faces, density=900.0)
    assert_allclose(flat.m, exact.m, rtol=0.01)  # 32 triangles around are not quite round
    assert_allclose(flat.com, exact.com, rtol=0, atol=1e-12)
    del SHAPES["cone"]
    with pytest.raises(wt.FileError, match="shape 'cone' is not known; there are box, sphere"):
        wt.load(tmp_path / "m.toml")


# A file format


@pytest.fixture
def rods(tmp_path: Path) -> Path:
    path = tmp_path / "arm.rods"
    path.write_text("upper 0.5 2.0\nlower 0.25 1.5\n")
    return path


def test_a_file_format(follow: Follow, rods: Path, tmp_path: Path) -> None:
    follow(RECIPES["format"])
    m = wt.load(rods)
    assert (m.name, m.parents, m.bodies[1].placement.position[2]) == ("arm", (-1, 0), -0.5)
    assert_allclose(wt.crba(m, np.zeros(2))[1, 1], 1.5 * 0.125**2, rtol=1e-14)
    wt.save(m, tmp_path / "again.RODS")
    assert (tmp_path / "again.RODS").read_text() == rods.read_text()
    assert problems(rods) == []
    assert wt.load(str(rods)) == m
    result = CliRunner().invoke(app, ["check", str(rods)])
    assert (result.exit_code, result.stdout) == (0, f"{rods}: 0 errors, 0 warnings, 0 notes\n")


def test_problems_of_a_format_of_a_user(follow: Follow, rods: Path, tmp_path: Path) -> None:
    follow(RECIPES["format"])
    rods.write_text("upper 0.5 2.0\nlower 0.25 heavy\n")
    message = "expected name, length and mass: could not convert string to float: 'heavy'"
    assert problems(rods) == [Problem(2, message, "error")]
    result = CliRunner().invoke(app, ["check", str(rods)])
    assert result.exit_code == 1
    assert f"{rods}:2: error: {message}\n" in result.stdout
    rods.write_text("upper 0.5 2.0\nupper 0.25 1.5\n")  # a mechanism refuses it, the reader says nothing
    with pytest.raises(wt.FileError, match=r"arm\.rods: 'arm' has a body named 'upper' already"):
        wt.load(rods)
    rods.write_bytes(b"\xff\xfe")
    (foreign,) = problems(rods)  # what the reader raises is told as a fault of the file
    assert foreign.message.startswith("cannot be read: 'utf-8' codec can't decode byte 0xff in position 0")
    (missing,) = problems(tmp_path / "none.rods")
    assert missing.message == f"no such file (looked in {tmp_path})"
    with pytest.raises(wt.FileError, match=r"is a directory: give a file, such as 'arm\.rods'"):
        wt.load(tmp_path)


def test_a_format_may_tell_problems_and_need_not_write(follow: Follow, rods: Path, tmp_path: Path) -> None:
    own = follow(RECIPES["format"])
    odd = [Problem(1, "long", "note"), Problem(2, "odd", "warning")]
    FORMATS[".rods"] = wt.io.Format(own.load, lambda path, packages: odd)
    assert problems(rods) == odd
    m = wt.load(rods)
    with pytest.raises(
        wt.FileError,
        match=r"new\.rods: cannot be written: its suffix is '\.rods', and known are \.urdf, \.xml, \.toml$",
    ):
        wt.save(m, tmp_path / "new.rods")
    FORMATS[".rods"] = wt.io.Format(own.load, save=own.save)
    with pytest.raises(
        wt.FileError, match=r"its suffix is '\.step', and known are \.urdf, \.xml, \.toml, \.rods$"
    ):
        wt.save(m, tmp_path / "new.step")
    with pytest.raises(
        wt.FileError, match=r"unknown suffix '\.step'; known: \.urdf, \.xacro, \.xml, \.sdf, \.toml, \.rods$"
    ):
        wt.load(tmp_path / "new.step")
    with pytest.raises(wt.InputError, match="m is str, expected a Mechanism"):
        wt.save("arm", tmp_path / "new.rods")  # pyright: ignore[reportArgumentType]  # wrong on purpose
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["arm.rods"]


# On the command line


def test_a_package_is_imported_by_the_command(
    follow: Follow, rods: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = follow(RECIPES["format"])
    assert own.__file__ is not None
    monkeypatch.setenv("PYTHONPATH", ":".join([str(Path(own.__file__).parents[1]), *sys.path]))
    command = [sys.executable, "-m", "whippletree", "--with", "harness.own", "check", str(rods)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, f"{rods}: 0 errors, 0 warnings, 0 notes\n"), done.stderr
    result = CliRunner().invoke(app, ["--with", "harness.none", "check", str(rods)])
    assert result.exit_code == 2
    assert result.stderr == "whippletree: --with harness.none: No module named 'harness.none'\n"
    follow(RECIPES["integrator"])
    result = CliRunner().invoke(
        app, ["--with", "harness.own", "simulate", "pendulum", "--duration", "0.01", "--method", "heun"]
    )
    assert result.exit_code == 0, result.stderr
    assert "heun" in result.stdout
