"""The functions of a program's loops, and the one that runs the loop asked for."""

from __future__ import annotations

from ..trace.program import Cycle, Program
from .instructions import calls_first, write_instruction
from .loop_calls import AREA, LoopCalls, area_text, load_place, store_place
from .vecmath.lanes import Lanes, Real

MAIN = "@wt.repeat"

LANES = 8
"""Passes side by side, where they are independent and there is one state to compute."""

PLAIN = {"add", "sub", "mul", "div", "neg", "fma", "fms", "fnma"}
"""Operations that passes side by side may have: those that need no function for vectors."""


def loop_functions(program: Program, width: int, fma: bool, attributes: str) -> str:
    """IR of all that the calls of loops need; bodies that are equal are there once.

    `void wt.repeat(area, first)` runs the loop whose arguments begin at a place of the area.
    """
    return "\n".join(_LoopFunctions(width, fma, attributes).runner(MAIN, program)) if program.loops else ""


class _LoopFunctions:
    def __init__(self, width: int, fma: bool, attributes: str) -> None:
        self.width, self.fma, self.attributes = width, fma, attributes
        self.known: dict[tuple[int, bool, str], str] = {}  # by count, kind and body

    def runner(self, name: str, program: Program) -> list[str]:
        """The function of this name that runs loops of a program, and these."""
        texts: list[str] = []
        cases: list[str] = []
        blocks: list[str] = []
        real = Lanes(self.width, self.fma).real_type
        for first, loop in program.loops.items():
            key = loop.times, loop.apart, loop.body.digest
            if key not in self.known:
                self.known[key] = f"@wt.loop.{len(self.known)}"
                texts += self.loop(self.known[key], loop)
            cases.append(f"i64 {first}, label %at{first}")
            blocks.append(f"""at{first}:
  %p{first} = getelementptr {real}, ptr %area, i64 {first}
  call void {self.known[key]}(ptr %p{first})
  ret void""")
        return [
            *texts,
            f"define internal void {name}(ptr %area, i64 %first) {self.attributes} {{",
            f"  switch i64 %first, label %none [{' '.join(cases)}]",
            *blocks,
            "none:\n  ret void\n}",
        ]

    def loop(self, name: str, loop: Cycle) -> list[str]:
        """The function of this name that runs a loop, given the address of its arguments, and what it calls.

        Where every pass has a state of its own and there is one state to compute, several passes are computed
        side by side, as several states would be.
        """
        inner = name.replace("wt.loop", "wt.repeat")
        texts = self.runner(inner, loop.body) if loop.body.loops else []
        lanes = LANES if self.width == 1 and loop.apart and PLAIN.issuperset(loop.body.columns.names) else 1
        together = loop.times // lanes if lanes > 1 else 0
        parts = [(together, lanes)] if together else []
        if loop.times > together * lanes:
            parts.append((loop.times - together * lanes, 1))
        lines, first = [], 0
        for count, side_by_side in parts:
            part = f"{name}.{side_by_side}"
            texts.append(self.passes(part, loop, inner, count, side_by_side))
            real = Lanes(self.width, self.fma).real_type
            lines += [
                f"  %s{first} = getelementptr {real}, ptr %arguments, i64 {first * loop.n_state}",
                f"  %g{first} = getelementptr {real}, ptr %arguments, i64 {loop.n_kept}",
                f"  call void {part}(ptr %s{first}, ptr %g{first})",
            ]
            first += count * side_by_side
        code = "\n".join(lines)
        texts.append(
            f"define internal void {name}(ptr %arguments) {self.attributes} {{\n{code}\n  ret void\n}}"
        )
        return texts

    def passes(self, name: str, loop: Cycle, inner: str, count: int, lanes: int) -> str:
        """The function of this name for so many passes, each of `lanes` side by side.

        It takes the addresses of the first state and of what is given. Operands are loaded where they are
        first used, the next state is stored when all of it is there. Where every pass has a state of its own,
        its address moves on.
        """
        body, n = loop.body, loop.n_state
        real = Lanes(self.width, self.fma).real_type
        e = Lanes(self.width if lanes == 1 else lanes, self.fma)
        values = [""] * body.n_inputs + [e.real(c) for c in body.constants] + [""] * body.n_instructions

        def at(base: str, place: int) -> str:
            return e.line(f"getelementptr {real}, ptr {base}, i64 {place}")

        def needed(number: int) -> None:
            if not 0 <= number < body.n_inputs or values[number]:
                return
            base, place = ("%state", number) if number < n else ("%given", number - n)
            if lanes == 1:
                values[number] = load_place(e, at(base, place))
                return
            # A state of each pass, or the same for all.
            apart = [place + k * n for k in range(lanes)] if number < n else [place]
            value = "poison"
            for k, each in enumerate(apart):
                one = e.line(f"load double, ptr {at(base, each)}, align 8")
                value = e.line(f"insertelement {e.real_type} {value}, double {one}, i32 {k}")
            if len(apart) == 1:
                mask = f"<{lanes} x i32> zeroinitializer"
                value = e.line(f"shufflevector {e.real_type} {value}, {e.real_type} poison, {mask}")
            values[number] = value

        calls = LoopCalls(AREA, inner)
        pairs: dict[int, tuple[Real, Real]] = {}
        for instruction in calls_first(body.instructions, body.first_instruction):
            for number in instruction[2:]:
                needed(number)
            write_instruction(e, instruction, values, pairs, calls)
        for number in body.results:
            needed(number)
        for place, number in enumerate(body.results):
            if lanes == 1:
                store_place(e, values[number], at("%state", place))
                continue
            for k in range(lanes):
                one = e.line(f"extractelement {e.real_type} {values[number]}, i32 {k}")
                e.lines.append(f"  store double {one}, ptr {at('%state', place + k * n)}, align 8")
        code = "\n".join(e.lines)
        wide = f' "prefer-vector-width"="{64 * lanes}" "min-legal-vector-width"="{64 * lanes}"'
        return f"""
define internal void {name}(ptr %states, ptr %given) {self.attributes}{wide if lanes > 1 else ""} {{
start:
{area_text(body, self.width)}
  br label %again
again:
  %i = phi i64 [0, %start], [%next, %again]
  %offset = mul i64 %i, {lanes * n if loop.apart else 0}
  %state = getelementptr {real}, ptr %states, i64 %offset
{code}
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, {count}
  br i1 %more, label %again, label %done
done:
  ret void
}}"""
