"""The panel beside the picture: what can be moved, played, switched and read there."""

import html
import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from ..errors import InputError, SimulationError, WhippletreeError
from ..model.wording import counted
from ..simulation import Trajectory
from .charts import sliders
from .coordinate_tab import CoordinateTab, has_special_coordinates
from .field_numbers import read
from .ghost import Ghost
from .playback import thinned
from .scene import LAYERS, Scene
from .server import Server
from .session import Session

SPEEDS = {"0.1 ×": 0.1, "0.25 ×": 0.25, "0.5 ×": 0.5, "1 ×": 1.0, "2 ×": 2.0, "5 ×": 5.0}
PLOTTED = 400
"""Points of a curve in the plot of energies."""

CURVES = (("kinetic", "#d1495b"), ("potential", "#1b6ca8"), ("total", "#22272e"))
STRONGEST = 30.0
"""m/s²: the end of the sliders of gravity."""

FAST = 10.0
"""rad/s or m/s: the end of a slider of velocity."""

SHORTEST, LONGEST = 0.1, 1000.0
"""s: durations that can be simulated from the page."""


class Controls:
    """The widgets of a viewer, and what they do.

    Widgets are changed by the browser and by the server; only what the browser changes has an effect, so
    that showing a state does not ask for it again.
    """

    def __init__(
        self, server: Server, session: Session, scene: Scene, size: float, lock: threading.RLock
    ) -> None:
        self._server, self._gui, self._session, self._scene = server, server.gui, session, scene
        self._lock = lock
        self._sliders = sliders(session.m, size)
        self._digits = [_digits(slider.step) for slider in self._sliders]
        server.gui.configure_theme(
            control_width="large", show_logo=False, show_share_button=False, brand_color=(27, 108, 168)
        )
        server.gui.set_panel_label(session.m.name)
        server.gui.main_panel.dock_right()
        server.gui.main_panel.set_width(380)
        self._simulating = threading.Lock()
        self._traced: Trajectory | None = None
        self._build()
        self.refresh()
        server.refused = self.say

    # Widgets

    def _build(self) -> None:
        gui, session = self._gui, self._session
        self._coordinates: CoordinateTab | None = None
        self._message = gui.add_html("", visible=False)
        self._build_motion()
        tabs = gui.add_tab_group()
        with tabs.add_tab("Positions"):
            self._positions = [self._position(k) for k in range(len(self._sliders))]
        with tabs.add_tab("Velocities"):
            self._velocities = [self._velocity(k) for k in range(self._session.m.nv)]
        with tabs.add_tab("Gravity"):
            self._build_gravity()
        if has_special_coordinates(session.m):
            with tabs.add_tab("Special"):
                self._coordinates = CoordinateTab(
                    gui, session, Ghost(self._server, session.m, self._scene.width), self._on
                )
        with tabs.add_tab("Options"):
            self._build_options()

    def _build_motion(self) -> None:
        gui = self._gui
        self._play = gui.add_button("Play", hint="Play or pause the trajectory")
        self._play.on_click(self._on(self._toggle))
        self._time = gui.add_slider("time [s]", min=0.0, max=1.0, step=0.001, initial_value=0.0)
        self._time.on_update(self._on(self._scrub))
        self._duration = gui.add_number(
            "duration [s]", initial_value=5.0, min=SHORTEST, max=LONGEST, step=0.1
        )
        self._simulate = gui.add_button("Simulate from here", hint="Let it move from the state shown")
        self._simulate.on_click(self._told(self._start_simulation))
        self._reset = gui.add_button("Reset", color="gray", hint="Back to what was shown first")
        self._reset.on_click(self._on(self._session.reset))
        self._energy = gui.add_html("")
        nothing = np.zeros(1)
        self._plot = gui.add_uplot(
            (nothing,) * 4,
            ({}, *({"label": f"{name} [J]", "stroke": color, "width": 2.0} for name, color in CURVES)),
            axes=({"label": "t [s]", "size": 40, "labelSize": 18}, {"size": 60}),
            scales={"x": {"time": False}},
            legend={"show": True},
            height=220,
            visible=False,
        )
        self._plotted: Trajectory | None = None

    def _position(self, k: int) -> Any:
        slider, digits = self._sliders[k], self._digits[k]
        joint = type(self._session.m.bodies[slider.body].joint).__name__
        handle = self._gui.add_slider(
            slider.label,
            min=round(slider.lower, digits),
            max=round(slider.upper, digits),
            step=slider.step,
            initial_value=round(slider.lower, digits),
            hint=f"{joint}, {slider.unit}",
        )
        handle.on_update(self._on(lambda: self._move(k)))
        return handle

    def _velocity(self, k: int) -> Any:
        slider = self._sliders[k]
        handle = self._gui.add_slider(
            slider.label, min=-FAST, max=FAST, step=0.01, initial_value=0.0, hint=f"{slider.unit}/s"
        )
        handle.on_update(self._on(lambda: self._session.spin(k, read(handle))))
        return handle

    def _build_gravity(self) -> None:
        gui = self._gui
        self._arrow = gui.add_checkbox("arrow to drag", initial_value=False)
        self._arrow.on_update(self._on(lambda: None))
        self._pull = [
            gui.add_slider(f"{axis} [m/s²]", min=-STRONGEST, max=STRONGEST, step=0.01, initial_value=0.0)
            for axis in "xyz"
        ]
        for handle in self._pull:
            handle.on_update(self._on(lambda: self._session.pull([read(handle) for handle in self._pull])))
        self._scene.gravity.on_update(self._on(self._drag))

    def _build_options(self) -> None:
        gui = self._gui
        self._speed = gui.add_dropdown("speed", tuple(SPEEDS), initial_value="1 ×")
        self._speed.on_update(self._on(self._set_speed))
        self._repeat = gui.add_checkbox("repeat", initial_value=self._session.repeat)
        self._repeat.on_update(self._on(self._set_repeat))
        own = self._scene.has_shapes
        shown = {
            "shapes": own,
            "joints": not own,
            "inertias": not own,
            "springs": True,
            "traces": True,
            "grid": True,
        }
        for layer in LAYERS:
            if not self._scene.layers[layer]:
                continue
            visible = shown.get(layer, False)
            self._scene.show_layer(layer, visible)
            box = gui.add_checkbox(layer, initial_value=visible)
            box.on_update(self._on(lambda layer=layer, box=box: self._scene.show_layer(layer, box.value)))

    # What widgets do

    def _on(self, action: Callable[[], None]) -> Callable[[Any], None]:
        """A callback that acts on the session, alone, and shows what came of it."""

        def alone() -> None:
            with self._lock:
                try:
                    action()
                    self.say("")
                finally:
                    self.refresh()

        return self._told(alone)

    def _told(self, action: Callable[[], None]) -> Callable[[Any], None]:
        """A callback that acts if it was the browser that changed the widget; errors are told in the page."""

        def callback(event: Any) -> None:
            if event.client_id is None:
                return
            try:
                action()
            except WhippletreeError as error:
                self.say(str(error))
            except Exception as error:  # viser would print its traceback where nobody looks
                self.say(f"{type(error).__name__}: {error}")

        return callback

    def _move(self, k: int) -> None:
        slider = self._sliders[k]
        own = [j for j, other in enumerate(self._sliders) if other.body == slider.body]
        shown = [read(self._positions[j]) for j in own]
        if self._session.describes(slider.body, shown):
            return  # a later event has brought it there
        index = self._session.m.q_index[slider.body]
        exact = self._session.m.bodies[slider.body].joint.numbers(self._session.q[index])
        # The browser has rounded numbers; those it did not touch keep all their digits.
        kept = [
            exact[n]
            if j != k and shown[n] == round(self._sliders[j].shown(exact[n]), self._digits[j])
            else shown[n]
            for n, j in enumerate(own)
        ]
        self._session.move(slider, kept)

    def _toggle(self) -> None:
        if self._session.playing:
            self._session.playing = False
        else:
            self._session.play()

    def _scrub(self) -> None:
        self._session.playing = False
        self._session.seek(read(self._time))

    def _set_speed(self) -> None:
        self._session.speed = SPEEDS[self._speed.value]

    def _set_repeat(self) -> None:
        self._session.repeat = self._repeat.value

    def _drag(self) -> None:
        self._session.pull(np.round(self._scene.dragged_gravity(), 2).tolist())

    def _start_simulation(self) -> None:
        """Compute outside the lock: the picture stays alive. One at a time, whoever asks."""
        if not self._simulating.acquire(blocking=False):
            raise InputError("a simulation is running: wait for its end, there is one at a time")
        try:
            self._simulate.disabled, self._simulate.label = True, "Simulating …"
            self.say("")
            run = self._simulated()
        finally:
            self._simulate.disabled, self._simulate.label = False, "Simulate from here"
            self._simulating.release()
        with self._lock:
            if isinstance(run, Trajectory) and len(run) > 1:
                self._session.take(run)
            self.refresh()

    def _simulated(self) -> Any:
        """The motion from the state shown, as far as it goes."""
        try:
            return self._session.simulated(read(self._duration))
        except SimulationError as error:
            self.say(str(error))
            return error.trajectory

    # What is shown

    def say(self, text: str) -> None:
        """A message at the top of the panel; none if the text is empty."""
        if text:
            self._message.content = (
                '<div style="margin:0.5em 1em;padding:0.5em 0.7em;border-left:3px solid #d1495b;'
                f'background:#fbeaec;color:#6b1f2a;font-size:0.8em">{html.escape(text)}</div>'
            )
        self._message.visible = bool(text)

    def refresh(self, widgets: bool = True) -> None:
        """Bring picture and panel to the session's state; without widgets only what moves."""
        session = self._session
        self._scene.move(session.q, session.center())
        self._scene.show_contacts(session.contact_arrows(self._scene.push))
        if session.trajectory is not self._traced:
            self._traced = session.trajectory
            self._scene.show_traces(session.traces())
        self._show_time()
        if widgets:
            self._show_positions()
            for handle, value in zip(self._velocities, session.qd, strict=True):
                _show(handle, round(float(value), 2), -FAST, FAST)
            for handle, value in zip(self._pull, session.m.gravity, strict=True):
                _show(handle, round(value, 2), -STRONGEST, STRONGEST)
            self._scene.show_gravity(session.m.gravity, self._arrow.value)
            self._show_energy()
        if self._coordinates is not None:
            self._coordinates.refresh()

    def _show_positions(self) -> None:
        by_body: dict[int, list[int]] = {}
        for k, slider in enumerate(self._sliders):
            by_body.setdefault(slider.body, []).append(k)
        for body, own in by_body.items():
            if self._session.describes(body, [float(self._positions[k].value) for k in own]):
                continue
            for k in own:
                slider, digits = self._sliders[k], self._digits[k]
                value = round(slider.shown(self._session.value(slider)), digits)
                _show(self._positions[k], value, round(slider.lower, digits), round(slider.upper, digits))

    def _show_time(self) -> None:
        session, run = self._session, self._session.trajectory
        self._play.label = "Pause" if session.playing else "Play"
        self._play.disabled = self._time.disabled = run is None
        if run is None:
            self._time.value = 0.0
            return
        start = round(float(run.t[0]), 3)
        end = max(round(float(run.t[-1]), 3), start + 0.001)
        if (self._time.min, self._time.max) != (start, end):
            self._time.min, self._time.max = start, end
        self._time.value = min(max(round(session.time, 3), start), end)

    def _show_energy(self) -> None:
        kinetic, potential = self._session.energies()
        parts = zip(("kinetic", "potential", "total"), (kinetic, potential, kinetic + potential), strict=True)
        told = " &nbsp; ".join(f"{name} <b>{value:.4g}</b>" for name, value in parts)
        self._energy.content = f'<div style="margin:0.2em 1em;font-size:0.8em">energy [J]: {told}</div>'
        run = self._session.trajectory
        self._plot.visible = run is not None
        if run is None:
            return
        if run is not self._plotted:
            self._plot.scales = {"x": {"time": False, "range": (float(run.t[0]), float(run.t[-1]))}}
            self._plotted = run
        t, T, U = thinned(run, self._session.time, PLOTTED)
        self._plot.data = (t, T, U, T + U)

    def warnings(self, lines: list[str]) -> None:
        """A folder with all that a user should know of the picture."""
        if lines:
            with self._gui.add_folder(counted(len(lines), "warning", "warnings"), expand_by_default=False):
                listed = "".join(f"<li>{html.escape(line)}</li>" for line in lines)
                self._gui.add_html(f'<ul style="font-size:0.75em;overflow-wrap:anywhere">{listed}</ul>')


def _digits(step: float) -> int:
    """Decimals that a slider shows."""
    return max(3, 1 - int(np.floor(np.log10(step))))


def _show(handle: Any, value: float, lower: float, upper: float) -> None:
    """Put a number into a slider; beyond the slider's ends it stretches as long as the number is there."""
    ends = min(value, lower), max(value, upper)
    if (handle.min, handle.max) != ends:
        handle.min, handle.max = ends
    handle.value = value
