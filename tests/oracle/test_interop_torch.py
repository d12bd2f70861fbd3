"""Kernels in PyTorch. Source of truth: the kernels themselves, PyTorch's `gradcheck`, and `wt.derivative`."""

import numpy as np
import pytest

import whippletree as wt
from interop_use import run_example

torch = pytest.importorskip("torch")

# Forward mode of PyTorch 2.13 loads a part of itself that uses what it warns of.
pytestmark = pytest.mark.filterwarnings("ignore:`torch.jit.script` is deprecated:DeprecationWarning")


@pytest.fixture(scope="module")
def pendulum():
    return wt.examples.load("double-pendulum")


def leaf(*shape):
    rng = np.random.default_rng(shape)
    return torch.tensor(rng.normal(size=shape), dtype=torch.float64, requires_grad=True)


def test_gradcheck_of_both_modes_and_twice(pendulum):
    f = wt.interop.torch(wt.compile(wt.aba, pendulum))
    x = leaf(3, 2).unbind()
    assert torch.autograd.gradcheck(f, x, check_forward_ad=True)
    assert torch.autograd.gradgradcheck(f, x)


def test_batches_broadcast_and_sum(pendulum):
    k = wt.compile(wt.aba, pendulum)
    f, x = wt.interop.torch(k), (leaf(4, 1, 2), leaf(3, 2), leaf(2))
    assert np.array_equal(f(*x).detach(), k(*(tensor.detach().numpy() for tensor in x)))
    assert torch.autograd.gradcheck(f, x, check_forward_ad=True)


def test_transforms(pendulum):
    k = wt.compile(wt.aba, pendulum)
    f, x = wt.interop.torch(k), leaf(3, 2).detach()
    expected = wt.derivative(wt.aba, pendulum, wrt=("q", "qd", "tau"))(*x.numpy())
    for jacobian in (torch.func.jacrev, torch.func.jacfwd):
        for block, by_us in zip(jacobian(f, (0, 1, 2))(*x), expected.values(), strict=True):
            np.testing.assert_allclose(block, by_us, rtol=0, atol=1e-12 * np.abs(by_us).max())
    many, (q, qd, tau) = leaf(2, 5).detach(), x
    found = torch.vmap(torch.vmap(f, (0, None, None)), (None, 1, None))(x, many, tau)
    assert np.array_equal(found, k(x.numpy(), many.numpy().T[:, None], tau.numpy()))
    hessian = torch.func.hessian(lambda q: f(q, qd, tau)[1])(q)
    np.testing.assert_allclose(hessian, hessian.T, rtol=1e-12)


def test_tensors_are_not_copied(pendulum):
    seen = []

    class Spy(wt.Kernel):
        def __call__(self, *arrays, **options):
            seen.extend(arrays)
            return np.zeros(2)

    k = wt.compile(wt.aba, pendulum)
    x = leaf(3, 2).detach().unbind()
    wt.interop.torch(Spy(k.program, k.name))(*x)
    assert [array.ctypes.data for array in seen] == [tensor.data_ptr() for tensor in x]


def test_bad_calls(pendulum):
    f = wt.interop.torch(wt.compile(wt.aba, pendulum))
    q = torch.zeros(2, dtype=torch.float64)
    with pytest.raises(
        wt.InputError, match=r"tau is a tensor of torch.float32 on cpu.* tau.double\(\).cpu\(\)"
    ):
        f(q, q, q.float())
    with pytest.raises(wt.InputError, match=r"qd has shape \(3,\), expected \(2,\) or \(\.\.\., 2\)"):
        f(q, torch.zeros(3, dtype=torch.float64), q)
    with pytest.raises(wt.InputError, match=r"interop\.torch takes a kernel"):
        wt.interop.torch("aba")  # type: ignore[arg-type]


def test_example():
    run_example(wt.interop.torch)
