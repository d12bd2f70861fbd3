"""Laws of patches: spring and damper, Hunt and Crossley's, and two surfaces at once (RBDA §11.8)."""

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from ...errors import InputError
from ...model.contact import Contact
from ...model.values import not_negative, positive, real_positive
from ...spatial import Array, array, maximum, where
from ...spatial.scalar import known
from .patch_law import PatchLaw, damping_of, decay, returning, stiffness_of


@dataclass(frozen=True)
class KelvinVoigt(PatchLaw):
    """A spring and a damper side by side, RBDA 11.73 and 11.74; None is the contact's own number.

    Attributes:
        stiffness: K, N/m.
        damping: D, N s/m.
    """

    stiffness: float | None = None
    damping: float | None = None

    def __post_init__(self) -> None:
        _check_spring("KelvinVoigt", self.stiffness, self.damping)

    def of(self, contact: Contact) -> "KelvinVoigt":
        damping = damping_of(contact) if self.damping is None else self.damping
        return replace(
            self,
            stiffness=stiffness_of(contact, self.stiffness),
            damping=damping,
        )

    def freed(self, z: Array, t: Any) -> Array:
        return array([z[0] * decay(self.stiffness, self.damping, t)])

    def push(self, z: Array, rate: Any) -> Any:
        return -(self.stiffness * z[0]) - self.damping * rate

    def free_rates(self, z: Array) -> Array:
        return returning(z, self.stiffness, self.damping)

    def stored(self, z: Array) -> Any:
        return 0.5 * z[0] * self.tension(z)[0]

    @property
    def tangential(self) -> tuple[Any, Any]:
        return self.stiffness, self.damping


@dataclass(frozen=True)
class HuntCrossley(PatchLaw):
    """f = K dⁿ (1 + c ḋ) with the depth d = -p: it neither jumps at the first touch nor pulls at the last.

    (Hunt, Crossley, Coefficient of restitution interpreted as damping in vibroimpact, 1975, eq. 3 with
    λ = c K.) Slow impacts return 1 - 2/3 c v of their speed, nearly. The patch is back in its place at once.

    Attributes:
        dissipation: c, s/m.
        exponent: n; 3/2 for balls on planes (Hertz).
        stiffness: K, N/mⁿ; None is the contact's own.
        along: Stiffness, N/m, and damping, N s/m, along the surface; None: K and the contact's damping.
    """

    dissipation: float = 0.0
    exponent: float = 1.0
    stiffness: float | None = None
    along: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        not_negative(self.dissipation, "HuntCrossley: dissipation")
        if real_positive(self.exponent, "HuntCrossley: exponent") < 1.0:
            raise InputError(f"HuntCrossley: exponent is {self.exponent:g}, expected 1 or more")
        _check_spring("HuntCrossley", self.stiffness, 0.0)
        if self.along is not None:
            _check_pair("HuntCrossley: along", self.along)

    def of(self, contact: Contact) -> "HuntCrossley":
        stiffness = stiffness_of(contact, self.stiffness)
        along = self.along or (stiffness, damping_of(contact))
        return replace(self, stiffness=stiffness, along=along)

    def push(self, z: Array, rate: Any) -> Any:
        return -self.tension(z)[0] * (1.0 - self.dissipation * rate)

    def stored(self, z: Array) -> Any:
        return self.tension(z)[0] * z[0] / (self.exponent + 1.0)

    def tension(self, z: Array) -> Array:
        # Beyond where the body leaves a whole power goes on without a kink; others have no value there.
        depth = -z[0] if float(self.exponent).is_integer() else maximum(0.0, -z[0])
        return array([-(self.stiffness * depth**self.exponent)])

    def grip(self, z: Array, rate: Any) -> Any:
        return -z[0]

    @property
    def tangential(self) -> tuple[Any, Any]:
        assert self.along is not None
        return self.along


@dataclass(frozen=True)
class TwoSurfaces(PatchLaw):
    """Two surfaces that give way, each as `KelvinVoigt`, with one force between them (RBDA §11.8, end).

    Where their K/D agree they are one: springs and dampers in series.

    Attributes:
        a, b: Stiffness, N/m, and damping, N s/m and not 0, of either.
    """

    a: tuple[float, float]
    b: tuple[float, float]
    states: ClassVar[int] = 2

    def __post_init__(self) -> None:
        for name, pair in (("a", self.a), ("b", self.b)):
            _check_pair(f"TwoSurfaces: {name}", pair)
            if known(pair[1]) == 0.0:
                raise InputError(f"TwoSurfaces: {name} has damping 0, expected a number above 0")

    def of(self, contact: Contact) -> "TwoSurfaces":
        return self

    def moved(self, z: Array, p: Any, t: Any) -> Array:
        (K_a, D_a), (K_b, D_b) = self.a, self.b
        free = self.freed(z, t)
        touching = p <= free[0] + free[1]
        # From s to p at a constant rate r: (D_a + D_b) ż_a = -(K_a + K_b) z_a + D_b r + K_b (s + r t).
        s = z[0] + z[1]
        r = (p - s) / t
        along = K_b / (K_a + K_b) * r
        start = (D_b * r + K_b * s - (D_a + D_b) * along) / (K_a + K_b)
        pushed = start + along * t + (z[0] - start) * decay(K_a + K_b, D_a + D_b, t)
        return array([where(touching, pushed, free[0]), where(touching, p - pushed, free[1])])

    def freed(self, z: Array, t: Any) -> Array:
        return array([z[0] * decay(*self.a, t), z[1] * decay(*self.b, t)])

    def rates(self, z: Array, rate: Any) -> Array:
        (K_a, D_a), (K_b, D_b) = self.a, self.b
        z_rate = (D_b * rate - K_a * z[0] + K_b * z[1]) / (D_a + D_b)  # one force on both
        return array([z_rate, rate - z_rate])

    def push(self, z: Array, rate: Any) -> Any:
        K_a, D_a = self.a
        return -(K_a * z[0]) - D_a * self.rates(z, rate)[0]

    def free_rates(self, z: Array) -> Array:
        return np.concatenate([returning(z[:1], *self.a), returning(z[1:], *self.b)])

    def stored(self, z: Array) -> Any:
        return 0.5 * (z @ self.tension(z))

    def tension(self, z: Array) -> Array:
        return array([self.a[0] * z[0], self.b[0] * z[1]])

    def pressed(self, p: Any) -> Array:
        share = self.b[0] / (self.a[0] + self.b[0])
        return array([share * p, p - share * p])

    def touched(self, z: Array, p: Any) -> Any:
        return p - z[0] <= z[1]  # as it was found, to the last bit

    @property
    def tangential(self) -> tuple[Any, Any]:
        (K_a, D_a), (K_b, D_b) = self.a, self.b
        return K_a * K_b / (K_a + K_b), D_a * D_b / (D_a + D_b)


def _check_spring(law: str, stiffness: Any, damping: Any) -> None:
    """InputError for what is no stiffness or no damping; None is that of the contact."""
    if stiffness is not None:
        positive(stiffness, f"{law}: stiffness")
    if damping is not None:
        not_negative(damping, f"{law}: damping")


def _check_pair(name: str, pair: Any) -> None:
    """InputError for what is no stiffness along with a damping."""
    if not isinstance(pair, tuple | list) or len(pair) != 2:
        raise InputError(f"{name} is {pair!r:.60}, expected stiffness, N/m, and damping, N s/m")
    positive(pair[0], f"{name}: stiffness")
    not_negative(pair[1], f"{name}: damping")
