"""Operation counts of compiled algorithms against all published ones.

Source of truth: RBDA table 10.1, for GU(n): n bodies in a row, revolute joints, general geometry and
inertia. Sines and cosines are not counted; a division counts as a multiplication.
"""

import pytest

from whippletree.benchmark.counts import PUBLISHED, operations

# Ours, exactly. Fewer is welcome; more is a loss that wants a reason.
OURS = {
    "rnea": {2: 127, 6: 768, 7: 927, 30: 4607},
    "crba": {2: 27, 6: 607, 7: 834, 30: 14887},
    "aba": {2: 238, 6: 1899, 7: 2285, 30: 11605},
    "factor and solve": {2: 9, 6: 151, 7: 224, 30: 11195},
}


@pytest.mark.parametrize("n", range(2, 31))
@pytest.mark.parametrize("name", PUBLISHED)
def test_no_more_operations_than_any_published(name, n):
    assert operations(name, n) <= min(row.total(n) for row in PUBLISHED[name])


@pytest.mark.parametrize("n", [2, 6, 7, 30])
@pytest.mark.parametrize("name", OURS)
def test_exact_counts(name, n):
    assert operations(name, n) == OURS[name][n]
