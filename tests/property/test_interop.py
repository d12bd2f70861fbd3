"""What is said where another library is not installed, or a kernel cannot be given to it."""

import sys

import pytest

import whippletree as wt


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("jax", r"interop\.jax needs JAX: pip install whippletree\[jax\]$"),
        (
            "torch",
            r"interop\.torch needs PyTorch: pip install whippletree\[torch\], or torch --index",
        ),
        ("casadi", r"interop\.casadi needs CasADi: pip install whippletree\[casadi\]$"),
    ],
)
def test_missing_libraries_are_named_with_what_to_install(monkeypatch, name, message):
    k = wt.compile(wt.potential_energy, wt.examples.load("pendulum"))
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(wt.InputError, match=message):
        getattr(wt.interop, name)(k)


@pytest.mark.parametrize("name", ["jax", "torch", "casadi"])
def test_a_kernel_without_results_is_refused(name):
    k = wt.compile(lambda m, q: q[:0], wt.examples.load("pendulum"))
    with pytest.raises(wt.InputError, match=f"gives an array without entries, which {name} cannot be given"):
        getattr(wt.interop, name)(k)
