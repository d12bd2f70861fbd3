"""What tests share: a folder of their own for compiled kernels, and the browser, if there is one."""

import os
import tempfile

import pytest

# Before NumPy is imported: tests run beside each other, and threads of BLAS would wait for each other's.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from browser import MISSING, executable
from whippletree.display import viewer
from whippletree.kernels.store import sources


def pytest_addoption(parser):
    parser.addoption("--need-chromium", action="store_true", help="no browser: fail, do not skip its tests")
    parser.addoption("--interrupts", type=int, default=12, help="how often each kind of work is interrupted")
    parser.addoption(
        "--sweep", type=int, default=7, help="of bad values of arguments every so manieth is tried"
    )


def pytest_configure(config):
    """A cache of the run's own. Workers inherit it, so that what one has compiled another finds."""
    if not hasattr(config, "workerinput"):
        before, folder = os.environ.get("XDG_CACHE_HOME"), tempfile.TemporaryDirectory()
        os.environ["XDG_CACHE_HOME"] = folder.name
        config.add_cleanup(folder.cleanup)
        config.add_cleanup(lambda: _restore("XDG_CACHE_HOME", before))


def _restore(name, value):
    os.environ.pop(name)
    if value is not None:
        os.environ[name] = value


def pytest_collection_modifyitems(config, items):
    if executable() is None and not config.getoption("--need-chromium"):
        for item in items:
            if "browser" in item.fixturenames:
                item.add_marker(pytest.mark.skip(reason=MISSING))


@pytest.fixture
def browser() -> str:
    """The path of Chromium."""
    path = executable()
    if path is None:
        pytest.fail(MISSING)
    return path


@pytest.fixture(autouse=True, scope="session")
def own_cache():
    sources.digest()  # an entry of its own, made once a process: now, not in a test that counts entries


@pytest.fixture(autouse=True, scope="session")
def own_ports(worker_id):
    """Of viewers: two that ask for one at the same moment leave a socket behind, which is a warning."""
    viewer.PORT += 100 * int(worker_id.removeprefix("gw") if worker_id.startswith("gw") else 0)
