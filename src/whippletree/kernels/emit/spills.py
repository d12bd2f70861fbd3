"""Which values of straight-line code wait in memory, decided before LLVM sees it.

Of more values than there are registers, those stay that are needed again soonest (Belady, A study of
replacement algorithms, IBM Systems Journal 1966). In one straight line that is known beforehand, and found in
one pass; LLVM, which looks for registers in any code, takes half of its time to find no better choice.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from .vecmath.lanes import Lanes

_NEVER = 1 << 60


class CodeStep(NamedTuple):
    """What a piece of the code does with values, by their numbers.

    Attributes:
        reads: Values it reads.
        made: The value it makes, -1 if none.
        is_call: Whether no register outlives it.
    """

    reads: tuple[int, ...]
    made: int
    is_call: bool


class Spills:
    """Values in memory, and where they are read from there.

    Args:
        first: Values that are there before the first step, in order.
        steps: What the code does.
        registers: How many values are to be in registers at most.
        intact: Until this step, values that are there before the first are still where they came from.

    Attributes:
        at_home: Values that wait where they came from.
        slot: By value, of those that are in memory elsewhere: its place there.
        reloads: By step, the values that are read from memory before.
        slots: How many places there are.
    """

    def __init__(
        self, first: Iterable[int], steps: Sequence[CodeStep], registers: int, intact: int = 0
    ) -> None:
        self.slot: dict[int, int] = {}
        self.reloads: dict[int, list[int]] = {}
        following, start = _next_reads(steps)
        held = {}  # values in registers, and where each is read next
        spilled = set[int]()
        for value in first:
            if value in start:
                held[value] = start[value]
                _make_room(held, registers, spilled)
        for k, (reads, made, is_call) in enumerate(steps):
            missing = [value for value in reads if value not in held]
            if missing:
                self.reloads[k] = missing
            for value, later in zip(reads, following[k], strict=True):
                if later == _NEVER:
                    held.pop(value, None)
                else:
                    held[value] = later
            if is_call:
                _make_room(held, 0, spilled)
            if made in start:
                held[made] = start[made]
            if len(held) > registers:
                _make_room(held, registers, spilled)
        late = {value for k, values in self.reloads.items() if k >= intact for value in values}
        self.at_home: set[int] = spilled.intersection(first) - late
        spilled -= self.at_home
        self.slots: int = self._find_places(first, steps, following, spilled)
        self._put_busy_first()

    def _find_places(
        self, first: Iterable[int], steps: Sequence[CodeStep], following: list[list[int]], spilled: set[int]
    ) -> int:
        """Give every value in memory a place, which is free again after its last reading."""
        free: list[int] = []
        count = 0
        for value in first:
            if value in spilled:
                self.slot[value] = count
                count += 1
        for k, (reads, made, _) in enumerate(steps):
            for value, later in zip(reads, following[k], strict=True):
                if later == _NEVER and value in spilled:
                    free.append(self.slot[value])
            if made in spilled:
                self.slot[made] = free.pop() if free else count
                count = max(count, self.slot[made] + 1)
        return count

    def _put_busy_first(self) -> None:
        """Number places by how often they are used: the first ones have short addresses."""
        uses = Counter(self.slot.values())
        read = (value for values in self.reloads.values() for value in values)
        uses.update(self.slot[value] for value in read if value in self.slot)
        rank = {slot: k for k, (slot, _) in enumerate(uses.most_common())}
        self.slot = {value: rank[slot] for value, slot in self.slot.items()}


def _next_reads(steps: Sequence[CodeStep]) -> tuple[list[list[int]], dict[int, int]]:
    """By step, for all that it reads, the step that reads it next; by value the step that reads it first."""
    following: list[list[int]] = [[]] * len(steps)
    first: dict[int, int] = {}
    for k in range(len(steps) - 1, -1, -1):
        reads = steps[k].reads
        following[k] = [first.get(value, _NEVER) for value in reads]
        for value in reads:
            first[value] = k
    return following, first


def _make_room(held: dict[int, int], registers: int, spilled: set[int]) -> None:
    """Put values into memory that are needed last, until no more than so many are held."""
    while len(held) > registers:
        last = max(held, key=held.__getitem__)
        del held[last]
        spilled.add(last)


NO_SPILLS = Spills((), (), 0)
"""Of code in which LLVM decides."""


class SpillCode:
    """Writes values into memory and reads them.

    Much of what long code for one state does is this, and it takes as long as it takes to fetch its bytes. So
    it goes by several addresses, from which places have short offsets: on x86 one byte in place of four.

    LLVM does not know that these addresses belong together, and stores are volatile: else it would put all
    offsets together again, and take a value itself where it is read again, and see to it that it is still
    there.
    """

    ADDRESSES = 12
    """Of 15 registers for them; the others are for inputs and outputs."""

    NEAR = 128
    """Bytes before and behind an address to which offsets are short."""

    def __init__(self, e: Lanes, spills: Spills, home: Callable[[int], str] = str) -> None:
        self.e = e
        self.spills = spills
        self._home = home
        self._steps = 0
        # Short offsets of vectors count these, not bytes: they reach far enough from one address.
        self._each: int = 2 * self.NEAR // e.bytes if e.width == 1 else max(spills.slots, 1)
        self._addresses: int = min(self.ADDRESSES, -(-spills.slots // self._each))

    def before(self) -> str:
        """The memory, on the stack."""
        if not self.spills.slots:
            return ""
        e = self.e
        text = f"""
  %waiting = alloca [{self.spills.slots} x {e.real_type}], align {e.bytes}
  %waiting_at = alloca ptr, align 8"""
        for k in range(self._addresses):
            text += f"""
  %waiting_{k} = getelementptr {e.real_type}, ptr %waiting, i64 {self._middle(k)}
  store volatile ptr %waiting_{k}, ptr %waiting_at, align 8
  %near_{k} = load volatile ptr, ptr %waiting_at, align 8"""
        return text

    def read(self, values: list[str]) -> None:
        """Read what the next step needs from memory."""
        e = self.e
        for value in self.spills.reloads.get(self._steps, ()):
            at = self._home(value) if value in self.spills.at_home else self._place(value)
            values[value] = e.line(f"load {e.real_type}, ptr {at}, align {e.bytes}")
        self._steps += 1

    def write(self, value: int, values: Sequence[str]) -> None:
        """Put a value into memory, if it has a place there."""
        if value in self.spills.slot:
            e, at = self.e, self._place(value)
            e.lines.append(f"  store volatile {e.real_type} {values[value]}, ptr {at}, align {e.bytes}")

    def _place(self, value: int) -> str:
        slot = self.spills.slot[value]
        k = min(slot // self._each, self._addresses - 1)
        offset = slot - self._middle(k)
        return self.e.line(f"getelementptr {self.e.real_type}, ptr %near_{k}, i64 {offset}")

    def _middle(self, k: int) -> int:
        """The place that an address is that of."""
        return k * self._each + self._each // 2
