"""A real browser for tests: the Chromium that is installed, without a window."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from typing import Any

import numpy as np
from PIL import Image
from playwright.sync_api import Locator, Page, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")

FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # Pictures are drawn by the processor: there need be no graphics card.
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--ignore-gpu-blocklist",
)


# A processor that draws sixty pictures a second has no time for tests: five are enough.
SELDOM = """
const draw = window.requestAnimationFrame.bind(window);
window.requestAnimationFrame = step => setTimeout(() => draw(step), 200);
window.cancelAnimationFrame = clearTimeout;
"""

MISSING = f"no browser to test the viewer in, none of {', '.join(NAMES)}: apt-get install chromium"


def executable() -> str | None:
    """The path of Chromium, or None where it is not installed."""
    return next(filter(None, map(shutil.which, NAMES)), None)


class Watched:
    """A page, with all that went wrong on it."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.errors: list[str] = []
        page.on("console", lambda told: self.errors.append(told.text) if told.type == "error" else None)
        page.on("pageerror", lambda error: self.errors.append(str(error)))

    def open(self, url: str) -> None:
        """Load the viewer and wait until its panel is there and its picture has been drawn."""
        self.page.goto(url)
        self.page.get_by_role("button", name="Simulate from here").wait_for()
        self.page.locator(".mantine-Notification-closeButton").first.click()  # "no graphics card"

    def slider(self, label: str) -> Locator:
        """The knob of the slider with this label."""
        return self.page.locator(f"xpath=//*[normalize-space(.)='{label}']/following::*[@role='slider'][1]")

    def picture(self) -> Any:
        """(h, w, 3) what the canvas shows."""
        data = self.page.locator("canvas").first.screenshot()
        return np.asarray(Image.open(BytesIO(data)).convert("RGB"), dtype=float)


@contextmanager
def chromium(path: str, width: int = 1000, height: int = 500) -> Iterator[Watched]:
    """An empty page of the browser that is installed at a path, with a fresh profile, closed at the end."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        try:
            page = browser.new_page(viewport={"width": width, "height": height})
            page.set_default_timeout(90_000)
            page.add_init_script(SELDOM)
            yield Watched(page)
        finally:
            browser.close()
