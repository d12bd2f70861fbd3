"""How long explicit steps of a run with rigid contact cost less than implicit ones."""

MANY, MANY_QUICK = 2e3, 3e4
"""Times that the fastest decay may fit into a run before implicit steps cost less: than explicit ones one by
one, and than those of strides."""

USUAL = 1e-8
"""At tighter tolerances implicit steps are shorter by about the root; by rounding errors, even at rest."""

DRIVEN = 1e4
"""1/s: a motion that is driven does not come to rest, where implicit steps would be long. Those of strides
cost less as long as no decay is faster."""


def explicit_decays(in_strides: bool, driven: bool, duration: float, rtol: float) -> float:
    """How often the fastest decay may fit into a run of a duration, s, by explicit steps.

    >>> [f"{explicit_decays(True, driven, 600.0, 1e-8):g}" for driven in (False, True)]
    ['30000', '6e+06']
    """
    many = (MANY_QUICK if in_strides else MANY) * max(1.0, (USUAL / rtol) ** 0.5)
    return max(many, DRIVEN * duration) if in_strides and driven else many
