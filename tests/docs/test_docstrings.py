"""Every example in a docstring runs and prints what it says; every public name has one."""

import doctest
import importlib
import inspect
import pkgutil

import pytest

import whippletree as wt

MODULES = [
    name
    for _, name, _ in pkgutil.walk_packages(wt.__path__, prefix="whippletree.")
    if not name.endswith("__main__")
]


@pytest.mark.parametrize("name", ["whippletree", *MODULES])
def test_examples_run(name):
    failed, _ = doctest.testmod(importlib.import_module(name))
    assert failed == 0


def public_functions():
    return [name for name in wt.__all__ if inspect.isfunction(getattr(wt, name))]


@pytest.mark.parametrize("name", public_functions())
def test_every_public_function_has_an_example(name):
    doc = getattr(wt, name).__doc__
    assert doc is not None
    assert ">>>" in doc


def test_the_list_of_public_names_is_complete_and_sorted():
    assert sorted(set(wt.__all__)) == sorted(wt.__all__)
    assert all(hasattr(wt, name) for name in wt.__all__)
