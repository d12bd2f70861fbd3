"""What the tests of other libraries share."""

import doctest
from collections.abc import Callable
from typing import Any


def run_example(function: Callable[..., Any]) -> None:
    """Run a docstring's example, which is left out where the library may not be installed."""
    (test,) = (found for found in doctest.DocTestFinder(recurse=False).find(function) if found.examples)
    for example in test.examples:
        assert example.options.pop(doctest.SKIP)
    assert doctest.DocTestRunner().run(test).failed == 0
