"""Every example in a docstring runs and prints what it says; every public function has one."""

import doctest
import importlib
import inspect
import pkgutil

import pytest

import whippletree as wt
from whippletree.checks.checking import PUBLIC

MODULES = [
    name
    for _, name, _ in pkgutil.walk_packages(wt.__path__, prefix="whippletree.")
    if not name.endswith("__main__")
]
FUNCTIONS = {name: value for name, value in vars(wt).items() if inspect.isfunction(value)} | PUBLIC


@pytest.mark.parametrize("name", ["whippletree", *MODULES])
def test_examples_run(name):
    failed, _ = doctest.testmod(importlib.import_module(name))
    assert failed == 0


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_public_function_has_an_example(name):
    doc = FUNCTIONS[name].__doc__
    assert doc is not None
    assert ">>>" in doc
