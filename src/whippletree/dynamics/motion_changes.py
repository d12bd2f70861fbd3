"""How the motion of bodies changes with the motion of the joint that carries them."""

from typing import NamedTuple

from ..model.jcalc import jcalc
from ..model.mechanism import Mechanism
from ..spatial import Array, Transform, cross_motion


class MotionChanges(NamedTuple):
    """The motion of a body, and what one of its joint's velocities or positions changes in it.

    If joint i moves along one of its unit velocities s, then seen from the bodies that it carries, each in
    its own coordinates,

        velocities change by      Ψ̇ = v' × s + (∂S) qd
        accelerations by          A + Ψ̇ × v,  A = a' × s + v' × Ψ̇ + (∂S) qdd + ∂c_J + v_i × (∂S) qd

    where v' = X v_λ and a' = X a_λ are the parent's motion at body i, ∂ the change of what depends on q in
    body axes, and v the velocity of each body: Ψ̇ and A are the same for all of them. If the velocity of joint
    i grows, these change by s and by B + s × v with B = (∂S) qd + S̊ + (v' + v_i) × s.

    For joints with a constant S that is (Singh, Russell & Wensing, Efficient analytical derivatives of
    rigid-body dynamics using spatial vector algebra, 2022), with A for Ψ̈ and B for Ψ̇ + Ṡ.

    Attributes:
        X: From parent to body coordinates.
        S: (6, nv_i).
        v: (6,) velocity.
        a: (6,) spatial acceleration.
        Psi: (6, nv_i) Ψ̇.
        A: (6, nv_i).
        B: (6, nv_i).
    """

    X: Transform
    S: Array
    v: Array
    a: Array
    Psi: Array
    A: Array
    B: Array

    @staticmethod
    def of(
        m: Mechanism, i: int, q: Array, qd: Array, qdd: Array, v_lam: Array, a_lam: Array
    ) -> "MotionChanges":
        """Those of joint i, given the velocity and acceleration (6,) of its body's parent."""
        joint, q_i, qd_i, qdd_i = m.bodies[i].joint, q[m.q_index[i]], qd[m.v_index[i]], qdd[m.v_index[i]]
        X, S, vJ, cJ = jcalc(m, i, q, qd)
        v_, a_ = X @ v_lam, X @ a_lam  # v' and a'
        v = v_ + vJ
        a = a_ + S @ qdd_i + cJ + cross_motion(v, vJ)
        dS = joint.motion_subspace_gradient(q_i, qd_i)
        Psi = cross_motion(v_, S) + dS
        A = cross_motion(a_, S) + cross_motion(v_, Psi) + cross_motion(v, dS)
        A = A + joint.motion_subspace_gradient(q_i, qdd_i) + joint.bias_gradient(q_i, qd_i)
        B = cross_motion(v_ + v, S) + dS + joint.motion_subspace_rate(q_i, qd_i)
        return MotionChanges(X, S, v, a, Psi, A, B)
