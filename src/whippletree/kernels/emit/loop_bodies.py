"""The functions of a program's loops, and the one that runs the loop asked for."""

from __future__ import annotations

from ..trace.program import Cycle, Program
from .instructions import calls_first, write_instruction
from .loop_calls import AREA, LoopCalls, area_text, load_place, store_place
from .vecmath.lanes import Lanes, Real

MAIN = "@wt.repeat"


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
        """The function of this name that runs a loop, and what its body calls.

        It takes the address of the arguments. Operands are loaded where they are first used, the next state
        is stored when all of it is there. Where every pass has a state of its own, its address moves on.
        """
        body = loop.body
        inner = name.replace("wt.loop", "wt.repeat")
        texts = self.runner(inner, body) if body.loops else []
        e = Lanes(self.width, self.fma)
        values = [""] * body.n_inputs + [e.real(c) for c in body.constants] + [""] * body.n_instructions

        def needed(number: int) -> None:
            if 0 <= number < body.n_inputs and not values[number]:
                of_state = number < loop.n_state
                place = number if of_state else number + loop.n_kept - loop.n_state
                base = "%state" if of_state else "%arguments"
                at = e.line(f"getelementptr {e.real_type}, ptr {base}, i64 {place}")
                values[number] = load_place(e, at)

        calls = LoopCalls(AREA, inner)
        pairs: dict[int, tuple[Real, Real]] = {}
        for instruction in calls_first(body.instructions, body.first_instruction):
            for number in instruction[2:]:
                needed(number)
            write_instruction(e, instruction, values, pairs, calls)
        for number in body.results:
            needed(number)
        for place, number in enumerate(body.results):
            at = e.line(f"getelementptr {e.real_type}, ptr %state, i64 {place}")
            store_place(e, values[number], at)
        code = "\n".join(e.lines)
        text = f"""
define internal void {name}(ptr %arguments) {self.attributes} {{
start:
{area_text(body, self.width)}
  br label %again
again:
  %i = phi i64 [0, %start], [%next, %again]
  %offset = mul i64 %i, {loop.n_state if loop.apart else 0}
  %state = getelementptr {e.real_type}, ptr %arguments, i64 %offset
{code}
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, {loop.times}
  br i1 %more, label %again, label %done
done:
  ret void
}}"""
        return [*texts, text]
