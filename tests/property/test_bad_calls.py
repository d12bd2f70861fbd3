"""Calls that cannot be meant, each with the sentence that answers it; `bad_calls` holds the table, by doors.

A call stands on a line of its own; on the next, indented, what it must raise: the error and its message.
HERE stands for a folder of the test, … for what depends on the machine or on another library.
"""

import re
from pathlib import Path

import pytest

from bad_call_names import GLOBALS, Names, Told
from whippletree import WhippletreeError

TABLE = Path(__file__).parent / "bad_calls"

BY_PYTHON = (TypeError, AttributeError)
"""What Python itself raises where a function is called with other arguments than it has; no error of ours."""


def entries(path: Path) -> list[tuple[str, str]]:
    lines = path.read_text(encoding="utf-8").splitlines()
    calls, told = lines[::2], lines[1::2]
    assert len(calls) == len(told), f"{path.name}: a call without a sentence"
    assert not any(call.startswith(" ") for call in calls), path.name
    assert all(sentence.startswith("    ") for sentence in told), path.name
    return [(call, sentence.strip()) for call, sentence in zip(calls, told, strict=True)]


FILES = sorted(TABLE.glob("*.txt"))


def test_the_table_is_large_and_says_nothing_twice() -> None:
    calls = [call for path in FILES for call, _ in entries(path)]
    assert len(calls) == len(set(calls)) > 700


@pytest.mark.parametrize("door", [path.stem for path in FILES])
def test_every_bad_call_is_answered(door: str, tmp_path: Path) -> None:
    wrong = []
    for number, (call, sentence) in enumerate(entries(TABLE / f"{door}.txt")):
        here = tmp_path / str(number)
        here.mkdir()
        try:
            eval(call, dict(GLOBALS), Names(here))
        except (WhippletreeError, Told, *BY_PYTHON) as error:
            told = f"{type(error).__name__}: {error}".replace(str(here), "HERE").replace("\n", "\\n")
        else:
            told = "nothing"
        if not re.fullmatch(".*".join(map(re.escape, sentence.split("…"))), told):
            wrong.append(f"{call}\n    expected: {sentence}\n    told:     {told}")
        assert not any(path.suffix == ".part" for path in here.rglob("*")), call
    assert not wrong, "\n".join(wrong)
