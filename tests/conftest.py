"""Tests keep compiled kernels in a folder of their own, not in the user's cache."""

import os
import tempfile

import pytest


@pytest.fixture(autouse=True, scope="session")
def own_cache():
    with tempfile.TemporaryDirectory() as folder:
        before = os.environ.get("XDG_CACHE_HOME")
        os.environ["XDG_CACHE_HOME"] = folder
        yield
        if before is None:
            del os.environ["XDG_CACHE_HOME"]
        else:
            os.environ["XDG_CACHE_HOME"] = before
