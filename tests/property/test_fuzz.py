"""Two thousand damaged files of a format; `python bench/fuzz.py` reads any number of them.

Source of truth: a reader refuses a file by a FileError, or gives back good sense.
"""

import pytest

from fuzzing import FORMATS, damage, survives

CASES, CHUNK = 2000, 500
FEW = {"mjcf": 500, "sdf": 1000}
"""Formats that share most of their reader with another, or have it from another program: fewer of them."""


@pytest.mark.parametrize(
    ("name", "start"),
    [
        (name, start)
        for name in ("urdf", "mjcf", "sdf", "toml", "npz", "csv")
        for start in range(0, FEW.get(name, CASES), CHUNK)
    ],
)
def test_damaged_files_are_refused_or_good_sense(name, start, tmp_path):
    read = sum(survives(name, number, tmp_path) for number in range(start, start + CHUNK))
    assert 0 < read < CHUNK  # some are hurt where it does not matter, and some are not


@pytest.mark.parametrize("name", FORMATS)
def test_good_files_are_read_and_damage_can_be_repeated(name, tmp_path):
    good, _, read = FORMATS[name]
    read(good(), tmp_path)
    assert damage(name, 7) == damage(name, 7)
    assert len({damage(name, number) for number in range(50)}) > 40
