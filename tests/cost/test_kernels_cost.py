"""Operation counts of programs, exactly."""

import numpy as np

from whippletree.kernels.emit.fuse import fuse
from whippletree.kernels.simplify.passes import simplify
from whippletree.kernels.trace.program import Program
from whippletree.kernels.trace.recording import trace


def counts(program: Program) -> dict[str, int]:
    return {kind: times for kind, times in program.cost.items() if times}


def test_every_kind_is_counted():
    def function(x, y):
        return [
            x * y + x - y,
            -x,
            x / y,
            x.sqrt(),
            x.sin() + x.cos(),
            [x.tan(), x.arcsin(), x.arccos(), x.arctan2(y)],
            [x.exp(), y.log()],
            [abs(x), x.__floor__(), x.minimum(y), x.maximum(y)],
            ((x < y) & ~(x == 2.0)).where(x, y),
        ]

    program = trace(function, {"x": (), "y": ()})
    assert counts(program) == {
        "mul": 1,
        "add": 3,
        "div": 1,
        "sqrt": 1,
        "trig": 6,
        "exp": 2,
        "select": 5,
        "compare": 3,
    }
    assert list(program.cost) == ["mul", "add", "div", "sqrt", "trig", "exp", "select", "compare"]


def test_dense_products():
    program = trace(lambda a, b: a @ b, {"a": (3, 4), "b": (4, 5)})
    assert counts(program) == {"mul": 60, "add": 45}
    assert counts(simplify(program)) == {"mul": 60, "add": 45}


def test_constant_zeros_and_ones_cost_nothing():
    rotation = np.array([[0.6, 0.8, 0.0], [-0.8, 0.6, 0.0], [0.0, 0.0, 1.0]])
    assert counts(trace(lambda x: rotation @ x, {"x": (3,)})) == {"mul": 4, "add": 2}
    assert counts(trace(lambda x: np.cross([0.0, 0.0, 2.0], x), {"x": (3,)})) == {"mul": 2}


def gyroscopic_torque(v, I, s):
    """Table 10.3 of RBDA: the component along s of v × I v."""
    return np.cross(v, I @ v) @ s


def test_table_10_3():
    """29 operations as written; the book's rules leave 5, the optimum, 0.1 v1 v2, takes 2."""
    I, s = np.diag([1.5, 1.6, 1.7]), np.array([0.0, 0.0, 1.0])
    written = trace(gyroscopic_torque, {"v": (3,), "I": (3, 3), "s": (3,)})
    assert counts(written) == {"mul": 18, "add": 11}
    folded = trace(lambda v: gyroscopic_torque(v, I, s), {"v": (3,)})
    assert counts(folded) == {"mul": 4, "add": 1}
    assert counts(simplify(folded)) == {"mul": 2}
    v = np.array([0.7, -1.3, 0.4])
    np.testing.assert_allclose(simplify(folded)(v), 0.1 * v[0] * v[1], rtol=1e-14)


def test_common_factors_in_long_sums():
    """A polynomial with the variable in every term, as Horner would have it."""

    def polynomial(c, x):
        return c[0] + c[1] * x + c[2] * x * x + c[3] * x * x * x + c[4] * x * x * x * x

    program = trace(polynomial, {"c": (5,), "x": ()})
    assert counts(program) == {"mul": 10, "add": 4}
    assert counts(simplify(program)) == {"mul": 4, "add": 4}


def test_equal_terms_of_a_planar_arm():
    """Inertia of a point mass on two links: sin² + cos² leaves what a hand derivation leaves."""

    def inertia(q):
        first = np.array([-np.sin(q[0]), np.cos(q[0])]) * 0.7
        return first @ first

    assert counts(simplify(trace(inertia, {"q": (2,)}))) == {}


def test_sharing_across_outputs():
    program = trace(lambda x: [x[0] + x[1] + x[2], x[1] + x[2] + x[3], x[2] + x[1]], {"x": (4,)})
    assert counts(program) == {"add": 4}
    assert counts(simplify(program)) == {"add": 3}


def test_fused_rows_count_for_both():
    program = trace(lambda a, b: a @ b, {"a": (3, 4), "b": (4,)})
    fused = fuse(program)
    assert fused.cost == program.cost
    assert [i[0] for i in fused.instructions].count("fma") == 9
    assert len(fused.instructions) == 12


def test_fusing_leaves_products_with_other_uses():
    def function(x, y, z):
        product = x * y
        return product + z, product, z - x * z, y * z - x, x * x + y * y

    program = fuse(trace(function, {"x": (), "y": (), "z": ()}))
    assert sorted(i[0] for i in program.instructions) == ["add", "fma", "fms", "fnma", "mul", "mul"]
    x, y, z = 1.5, 2.25, -0.75  # exact in binary: fused or not is the same
    assert program(x, y, z) == (x * y + z, x * y, z - x * z, y * z - x, x * x + y * y)
