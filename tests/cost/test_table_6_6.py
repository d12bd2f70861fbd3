"""Branch-sparse factors, products and solves cost exactly what RBDA table 6.6 says.

Source of truth: the table, with D1 and D2 of eq 6.26-6.27 from the depths of the tree.
"""

from collections import Counter

import numpy as np
import pytest
from numpy.testing import assert_allclose

import randoms
import whippletree as wt
from counting import counting, values
from whippletree.dynamics.factor import expanded_parents, ltdl, ltl
from whippletree.dynamics.triangle import ancestors, symmetric_product

BINARY = [-1, 0, 0, 1, 1, 2, 2]
TREES = {
    "one": [-1],
    "star": [-1, -1, -1, -1],
    "chain": [-1, 0, 1, 2, 3, 4],
    "binary": BINARY,
    "two trees": [-1, 0, -1, 2, 2, 1, 4],
}


def costs(lam):
    """n, D1 and D2."""
    depth = [1 + len(list(ancestors(lam, k))) for k in range(len(lam))]
    return len(lam), sum(d - 1 for d in depth), sum(d * (d - 1) // 2 for d in depth)


def matrix(lam):
    """A positive definite matrix with the sparsity of the tree: LᵀL of a random sparse L."""
    n, rng = len(lam), np.random.default_rng(11)
    L = np.zeros((n, n))
    for k in range(n):
        for i in (k, *ancestors(lam, k)):
            L[k, i] = rng.normal() + (3.0 if i == k else 0.0)
    return L.T @ L


@pytest.fixture(params=TREES.values(), ids=list(TREES))
def case(request):
    """Parents, H as floats, H and a vector of counting scalars, the tally, and n, D1, D2."""
    lam, tally = request.param, Counter()
    H, x = matrix(lam), np.random.default_rng(5).normal(size=len(lam))
    return lam, H, x, counting(H, tally), counting(x, tally), tally


def spent(tally, **cost):
    """Whether exactly this was spent since the last question."""
    actual = {name: number for name, number in tally.items() if number}
    tally.clear()
    return actual == {name: number for name, number in cost.items() if number}


def test_binary_tree_of_the_book():
    assert costs(BINARY) == (7, 10, 14)
    for k in (6, 5, 4):  # the book's rows 7, 6, 5: two area-2 and three area-3 operations each
        path = list(ancestors(BINARY, k))
        assert len(path) == 2
        assert sum(1 + len(list(ancestors(BINARY, i))) for i in path) == 3


def test_ltl(case):
    lam, H, x, Hc, xc, tally = case
    n, D1, D2 = costs(lam)
    factored = ltl(Hc, lam)
    assert spent(tally, sqrt=n, div=D1, mul=D2, add=D2)
    L = values(factored.L.matrix())
    assert_allclose(L.T @ L, H, rtol=1e-13, atol=1e-13)

    solution = factored.solve(xc)
    assert spent(tally, div=2 * n, mul=2 * D1, add=2 * D1)
    assert_allclose(H @ values(solution), x, rtol=1e-12, atol=1e-12)
    for result, expected in (
        (factored.L.times(xc), L @ x),
        (factored.L.transpose_times(xc), L.T @ x),
    ):
        assert_allclose(values(result), expected, rtol=1e-13, atol=1e-13)
    assert spent(tally, mul=2 * (n + D1), add=2 * D1)
    for result, expected in (
        (factored.L.solve(xc), np.linalg.solve(L, x)),
        (factored.L.solve_transposed(xc), np.linalg.solve(L.T, x)),
    ):
        assert_allclose(values(result), expected, rtol=1e-12, atol=1e-12)
    assert spent(tally, div=2 * n, mul=2 * D1, add=2 * D1)


def test_ltdl(case):
    lam, H, x, Hc, xc, tally = case
    n, D1, D2 = costs(lam)
    factored = ltdl(Hc, lam)
    assert spent(tally, div=D1, mul=D2, add=D2)
    L = values(factored.L.matrix())
    assert np.array_equal(L.diagonal(), np.ones(n))
    D = np.diag([d.value for d in factored.D])
    assert_allclose(L.T @ D @ L, H, rtol=1e-13, atol=1e-13)

    solution = factored.solve(xc)
    assert spent(tally, div=n, mul=2 * D1, add=2 * D1)
    assert_allclose(H @ values(solution), x, rtol=1e-12, atol=1e-12)
    for result, expected in (
        (factored.L.times(xc), L @ x),
        (factored.L.transpose_times(xc), L.T @ x),
        (factored.L.solve(xc), np.linalg.solve(L, x)),
        (factored.L.solve_transposed(xc), np.linalg.solve(L.T, x)),
    ):
        assert_allclose(values(result), expected, rtol=1e-12, atol=1e-12)
    assert spent(tally, mul=4 * D1, add=4 * D1)


def test_symmetric_product(case):
    lam, H, x, Hc, xc, tally = case
    n, D1, _ = costs(lam)
    product = symmetric_product(Hc, lam, xc)
    assert spent(tally, mul=n + 2 * D1, add=2 * D1)
    assert_allclose(values(product), H @ x, rtol=1e-13, atol=1e-13)
    assert np.count_nonzero(H) == n + 2 * D1


def test_without_branches_the_cost_is_that_of_cholesky():
    n = 9
    assert costs(list(range(-1, n - 1))) == (n, (n * n - n) // 2, (n**3 - n) // 6)  # 6.28


def parents(m):
    """λ with one entry for each velocity."""
    return expanded_parents(m.parents, [body.joint.nv for body in m.bodies])


def pattern(lam):
    """(n, n) where H may not be zero."""
    found = np.eye(len(lam), dtype=bool)
    for k in range(len(lam)):
        for i in ancestors(lam, k):
            found[k, i] = found[i, k] = True
    return found


def test_expanded_parents_describe_the_zeros_of_h():
    rng = np.random.default_rng(2)
    m = randoms.tree(rng, list(rng.permutation(list(randoms.JOINTS))), branching=0.8)
    H = wt.crba(m, m.random(rng))
    lam = parents(m)
    assert not np.any(H[~pattern(lam)])
    assert_allclose(ltl(H, lam).solve(H), np.eye(m.nv), rtol=0, atol=1e-10)
    assert_allclose(ltdl(H, lam).solve(H), np.eye(m.nv), rtol=0, atol=1e-10)


def test_factors_of_a_mechanism():
    rng = np.random.default_rng(3)
    m = randoms.tree(rng, list(rng.permutation(list(randoms.JOINTS))), branching=0.8)
    q = m.random(rng)
    H, by_ltl, by_ltdl = wt.crba(m, q), wt.dynamics.factor_ltl(m, q), wt.dynamics.factor_ltdl(m, q)
    L, M = by_ltl.L.matrix(), by_ltdl.L.matrix()
    assert_allclose(L.T @ L, H, rtol=1e-12, atol=1e-12)
    assert_allclose(M.T @ np.diag(by_ltdl.D) @ M, H, rtol=1e-12, atol=1e-12)
    assert np.array_equal(M.diagonal(), np.ones(m.nv))
    assert not np.any(np.triu(L, 1))
    assert not np.any(L[~pattern(parents(m))])
