"""Odd requests and odd surroundings: answered in words, at once."""

import sys
from pathlib import Path

import numpy as np
import pytest

import whippletree as wt
from whippletree.display import animation


def test_without_standard_error_work_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    m = wt.examples.load("pendulum")
    monkeypatch.setattr(sys, "stderr", None)
    run = wt.simulate(m, [0.4], duration=0.1, progress=True)
    wt.rollout(m, [0.4], [0.0], steps=5, progress=True)
    assert run.t[-1] == 0.1


@pytest.mark.parametrize("fps", [0, -3, 1e9, float("nan"), "fast"])
def test_a_movie_of_no_or_too_many_pictures_is_refused(fps: float, tmp_path: Path) -> None:
    run = wt.simulate(wt.examples.load("pendulum"), [0.4], duration=0.1, method="rk4")
    with pytest.raises(wt.InputError, match=r"^fps is .*, expected 1 to 240 pictures per second$"):
        run.animate(tmp_path / "run.gif", fps=fps)  # pyright: ignore[reportArgumentType]
    assert not list(tmp_path.iterdir())


def test_a_movie_of_hours_is_refused() -> None:
    with pytest.raises(wt.InputError, match="4000 s at 30 pictures per second are 120000 pictures, at most"):
        animation._check_rate(30, 4000.0)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "rk4", "dt": 1e-300}, "dt is 1e-300 s, which makes more than 1e+09 steps in 10 s"),
        ({"sample": 1e-300}, "sample is 1e-300 s, which makes more than 1e+09 states in 10 s"),
        ({"method": "euler", "dt": 1e-10}, "dt is 1e-10 s, which makes more than 1e+09 steps in 10 s"),
    ],
)
def test_steps_without_end_are_refused(options: dict[str, float], message: str) -> None:
    with pytest.raises(wt.InputError) as caught:
        wt.simulate(wt.examples.load("pendulum"), [0.4], **options)  # pyright: ignore[reportArgumentType]
    assert str(caught.value).startswith(message)


def test_inputs_beyond_any_compiler_are_refused() -> None:
    def reach(m: wt.Mechanism, target: np.ndarray) -> np.ndarray:
        return target[:3]

    m = wt.examples.load("pendulum")
    for shape in ((10**9,), (10**5, 10**5), (10**30,)):
        with pytest.raises(
            wt.InputError, match=r"^input target has shape \(10+.*entries; each becomes a number"
        ):
            wt.compile(reach, m, inputs={"target": shape})


def test_a_missing_sympy_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sympy", None)
    with pytest.raises(wt.InputError, match=r"^expressions need sympy: pip install sympy$"):
        wt.symbolic(wt.crba, wt.examples.load("pendulum"))


def gripper() -> wt.Mechanism:
    """Two fingers on motors of their own, and a part held by both: the loop has no joint to itself."""
    m = wt.Mechanism("gripper")
    for name, joint in (("left", wt.Prismatic("x")), ("right", wt.Prismatic("x"))):
        m.add_body(
            name, joint, inertia=wt.Inertia(1.0, about_com=(0.1, 0.1, 0.1)), limits=wt.Limits(0.0, 0.03)
        )
    for name in ("one", "two"):
        m.add_body(name, wt.Revolute("z"), inertia=wt.Inertia(1.0, about_com=(0.1, 0.1, 0.1)))
    m.add_gear("rack one", driver="one", driven="left", ratio=0.1, offset=0.01)
    m.add_gear("rack two", driver="two", driven="right", ratio=-0.1)
    m.change("two", limits=wt.Limits(-0.2, 1e16))
    return m


def test_gears_are_in_the_way_of_opened_loops() -> None:
    m = gripper()
    m.add_loop("part", wt.Fixed(), predecessor="left", successor="right")
    q = wt.assemble(m, m.neutral())
    for method in ("rcr", "acs", "gcl"):
        with pytest.raises(wt.ModelError, match=f"{method}' does not apply: 'gripper' has gears, 'rack one'"):
            wt.forward_dynamics(m, q, np.zeros(4), np.zeros(4), method=method)


def test_random_positions_have_gears_in_mesh_and_keep_to_all_limits() -> None:
    m, rng = gripper(), np.random.default_rng(3)
    for _ in range(200):
        left, right, one, two = m.random(rng)
        assert left == pytest.approx(0.1 * one + 0.01, rel=1e-12)
        assert right == pytest.approx(-0.1 * two, rel=1e-12, abs=1e-15)
        assert 0.0 <= left <= 0.03
        assert 0.0 <= right <= 0.02 + 1e-15


def test_random_positions_ignore_absurd_limits() -> None:
    rng = np.random.default_rng(3)
    for limits, most in ((wt.Limits(-1e16, 1e16), 4.0), (wt.Limits(-1e5, 1e5), 1e5)):
        m = wt.Mechanism("wheel")
        m.add_body("wheel", wt.Revolute("z"), inertia=wt.Inertia(1.0, about_com=(1, 1, 1)), limits=limits)
        drawn = [abs(m.random(rng)[0]) for _ in range(100)]
        assert 0.5 * most < max(drawn) <= most
