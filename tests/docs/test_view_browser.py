"""The viewer in a real browser: what is drawn is where it should be, and the panel does what it says."""

import time
from collections.abc import Callable

import numpy as np

import whippletree as wt
from browser import Watched, chromium
from whippletree.display.stage import poses, stage

MAGENTA = (1.0, 0.0, 1.0, 1.0)
CENTRE = (0.31, 0.0, -0.42)


def arm() -> wt.Mechanism:
    """A rod with a ball of a colour that nothing else has, whose middle can be found in the picture."""
    m = wt.Mechanism("arm")
    ball = wt.Geometry(wt.Sphere(0.11), wt.Placement(CENTRE), color=MAGENTA)
    rod = wt.Geometry(wt.Box((0.9, 0.05, 0.05)), wt.Placement((0.1, 0.0, 0.05)))
    m.add_body(
        "rod",
        wt.Revolute("y"),
        placement=wt.Placement((0.1, 0.2, 0.9), rpy=(0.2, 0.1, -0.3)),
        inertia=wt.Inertia(1.3, (0.1, 0.02, -0.3), (0.1, 0.11, 0.02)),
        limits=wt.Limits(-0.7, 1.1),
        visuals=(ball, rod),
    )
    m.add_frame("tip", "rod", wt.Placement((0.5, 0.1, -0.6)))
    return m


def until(true: Callable[[], bool], what: str, seconds: float = 120.0) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, f"{what}: not within {seconds} s"
        time.sleep(0.05)


def seen(watched: Watched) -> tuple[np.ndarray, tuple[int, int]]:
    """(2,) where the middle of the magenta ball is in the picture, in pixels, and the picture's size."""
    picture = watched.picture()
    pixels = np.minimum(picture[..., 0], picture[..., 2]) - picture[..., 1] > 40.0
    if np.sum(pixels) < 30:
        return np.full(2, np.nan), picture.shape[:2]
    rows, columns = np.nonzero(pixels)
    return np.array([np.mean(columns), np.mean(rows)]) + 0.5, picture.shape[:2]


def expected(m: wt.Mechanism, q: np.ndarray, start: np.ndarray, size: tuple[int, int]) -> np.ndarray:
    """(2,) where a pinhole camera at the viewer's first place sees the ball's middle, in pixels."""
    shot = stage(m, start)
    ahead = shot.middle - shot.camera
    ahead = ahead / np.linalg.norm(ahead)
    right = np.cross(ahead, np.eye(3)[shot.up])
    right = right / np.linalg.norm(right)
    X = poses(m, q)[0]
    ray = X[:3, :3] @ np.array(CENTRE) + X[:3, 3] - shot.camera
    x, y, z = right @ ray, np.cross(right, ahead) @ ray, ahead @ ray
    pixels = 0.5 * size[0] / np.tan(np.radians(20.0)) / z
    return np.array([0.5 * size[1] + x * pixels, 0.5 * size[0] - y * pixels])


def test_a_tree_is_moved_simulated_and_played(browser: str) -> None:
    m = arm()
    with chromium(browser) as page, wt.view(m) as viewer:
        start = viewer.q
        page.open(viewer.url)

        def ball_is_there() -> bool:
            place, size = seen(page)
            return bool(np.linalg.norm(place - expected(m, viewer.q, start, size)) < 3.0)

        until(ball_is_there, "the ball at the start")
        before, _ = seen(page)
        slider = page.slider("rod")
        slider.focus()
        slider.press("End")
        until(lambda: viewer.q[0] == 1.1, "the joint at its limit")
        until(ball_is_there, "the ball after the slider was moved")
        assert np.linalg.norm(seen(page)[0] - before) > 40.0
        page.page.get_by_role("button", name="Reset").click()
        until(lambda: viewer.q[0] == 0.0, "the joint back at its start")
        until(ball_is_there, "the ball after the reset")

        viewer.show([0.9])
        page.page.get_by_role("button", name="Simulate from here").click()
        until(lambda: viewer.trajectory is not None, "a trajectory")
        run = viewer.trajectory
        assert run is not None
        assert (run.q[0, 0], run.qd[0, 0], run.t[-1]) == (0.9, 0.0, 5.0)
        until(lambda: viewer.time > 0.3, "playing goes on")
        page.page.get_by_text("kinetic [J]").first.wait_for()  # the legend of the plot
        page.page.get_by_role("button", name="Pause").click()
        page.page.get_by_role("button", name="Play").wait_for()
        stopped = viewer.time
        until(ball_is_there, "the ball where it was paused")
        assert viewer.time == stopped
        scrub = page.slider("time [s]")
        scrub.focus()
        scrub.press("Home")
        until(lambda: viewer.time == 0.0, "the first state")
        np.testing.assert_array_equal(viewer.q, run.q[0])
        until(ball_is_there, "the ball of the first state")
        page.page.get_by_role("button", name="Play").click()
        until(lambda: viewer.time > 0.1, "playing goes on again")
        assert page.errors == []


def test_a_loop_follows_its_sliders_and_gravity_is_pulled(browser: str) -> None:
    m = wt.examples.load("four-bar")
    with chromium(browser) as page, wt.view(m) as viewer:
        page.open(viewer.url)
        rocker = page.slider("rocker")
        rocker.focus()
        rocker.press("End")  # a rocker cannot go all the way round
        told = page.page.get_by_text("cannot be assembled from this guess")
        told.wait_for()
        assert np.max(np.abs(wt.constraint_error(m, viewer.q))) < 1e-9
        assert 0.01 < viewer.q[2] < 3.0
        before = viewer.q
        crank = page.slider("crank")
        crank.focus()
        crank.press("ArrowLeft")
        until(lambda: viewer.q[0] != before[0], "the crank moved")
        assert viewer.q[2] != before[2]
        assert np.max(np.abs(wt.constraint_error(m, viewer.q))) < 1e-9
        told.wait_for(state="hidden")

        page.page.get_by_role("tab", name="Options").click()

        def differ(a: np.ndarray, b: np.ndarray) -> bool:
            # The handle of gravity, the palest of all, changes some two hundred points by up to 111.
            return bool(np.sum(np.max(np.abs(a - b), axis=2) > 100.0) > 10)

        def comes_and_goes(label: str) -> bool:
            # The browser lowers its resolution as it likes, and draws late: then it is tried again.
            pictures = []
            for shown in (False, True, False):
                page.page.get_by_label(label).set_checked(shown)
                time.sleep(0.5)
                pictures.append(page.picture())
            without, within, again = pictures
            return differ(within, without) and not differ(again, without)

        for layer in ("joints", "frames", "centre of mass"):
            until(lambda layer=layer: comes_and_goes(layer), f"{layer} shown and hidden")
        page.page.get_by_role("tab", name="Gravity").click()
        until(lambda: comes_and_goes("arrow to drag"), "the arrow shown and hidden")
        page.page.get_by_label("arrow to drag").check()
        pull = page.slider("x [m/s²]")
        pull.focus()
        pull.press("End")
        page.page.locator("[aria-valuenow='30']").wait_for()
        page.page.get_by_role("button", name="Simulate from here").click()
        until(lambda: viewer.trajectory is not None, "a trajectory")
        run = viewer.trajectory
        assert run is not None
        assert run.mechanism is not None
        assert run.mechanism.gravity == (30.0, -9.81, 0.0)
        assert page.errors == []
