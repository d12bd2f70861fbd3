"""Every example in a docstring runs and prints what it says; every public function has one."""

import ast
import builtins
import doctest
import importlib
import inspect
import pkgutil
from typing import Any

import pytest

import whippletree as wt
from whippletree.checks.checking import PUBLIC

MODULES = [
    name
    for _, name, _ in pkgutil.walk_packages(wt.__path__, prefix="whippletree.")
    if not name.endswith("__main__")
]
FORMULATIONS = tuple(filter(inspect.ismodule, vars(wt.formulations).values()))
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


def shown() -> dict[str, str]:
    """By name: docstrings with examples, of public functions and classes and of what classes have."""
    found: dict[str, str] = {}
    for place in (wt, wt.contact, wt.dynamics, wt.loops, wt.examples, *FORMULATIONS):
        for name, value in vars(place).items():
            if name[0] == "_" or not (inspect.isfunction(value) or inspect.isclass(value)):
                continue
            members = {f".{own}": inspect.unwrap(_bare(part)) for own, part in vars(value).items()}
            for member, part in {"": value, **(members if inspect.isclass(value) else {})}.items():
                doc = getattr(part, "__doc__", None)
                if isinstance(doc, str) and ">>>" in doc and member[:2] != "._":
                    found[f"{place.__name__}.{name}{member}"] = doc
    return found


def _bare(part: object) -> Any:
    """The function of a method, a class method or a property."""
    for field in ("__func__", "fget", "func"):
        part = getattr(part, field, None) or part
    return part


@pytest.mark.parametrize(("name", "doc"), shown().items(), ids=shown())
def test_an_example_can_be_copied(name: str, doc: str) -> None:
    """Its names are `wt`, `np`, Python's own, or made in it; nobody else has those of its file."""
    tree = ast.parse("".join(example.source for example in doctest.DocTestParser().get_examples(doc)))
    made = {"wt", "np", *dir(builtins)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            made.add(node.id)
        elif isinstance(node, ast.alias):
            made.add((node.asname or node.name).partition(".")[0])
        elif isinstance(node, ast.arg):
            made.add(node.arg)
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            made.add(node.name)
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    assert used <= made, f"{name}: {used - made}"
