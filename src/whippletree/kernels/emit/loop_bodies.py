"""The functions of a program's loops, and the one that runs the loop asked for."""

from __future__ import annotations

from ..trace.program import Cycle, Program
from .instructions import calls_first, write_instruction
from .lane_layout import LANES, is_side_by_side
from .loop_calls import AREA, LoopCalls, area_text, load_place, splat_place, store_place
from .vecmath.lanes import Form, Lanes, Real

MAIN = "@wt.repeat"

IN_TURN = 2
"""Independent passes that are written operation by operation in turn, so that they share what is given."""


def loop_functions(program: Program, form: Form, attributes: str) -> str:
    """IR of all that the calls of loops need; bodies that are equal are there once.

    `void wt.repeat(area, first)` runs the loop whose arguments begin at a place of the area.
    """
    return "\n".join(_LoopFunctions(form, attributes).runner(MAIN, program)) if program.loops else ""


class _LoopFunctions:
    def __init__(self, form: Form, attributes: str) -> None:
        self.form, self.width, self.attributes = form, form.width, attributes
        self.known: dict[tuple[int, bool, str], str] = {}  # by count, kind and body

    def runner(self, name: str, program: Program) -> list[str]:
        """The function of this name that runs loops of a program, and these."""
        texts: list[str] = []
        cases: list[str] = []
        blocks: list[str] = []
        real = self.form.type
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

        Where every pass has a state of its own, several passes are computed together: in the lanes of a
        vector if there is one state to compute, see `lane_layout`, else in turn.
        """
        inner = name.replace("wt.loop", "wt.repeat")
        texts = self.runner(inner, loop.body) if loop.body.loops else []
        together = (LANES if self.width == 1 else IN_TURN) if is_side_by_side(loop) else 1
        lines, first = [], 0
        for count, passes in ((loop.times // together, together), (loop.times % together, 1)):
            if not count:
                continue
            part = f"{name}.{passes}"
            texts.append(self.passes(part, loop, inner, count, passes))
            real = self.form.type
            lines += [
                f"  %s{first} = getelementptr {real}, ptr %arguments, i64 {first * loop.n_state}",
                f"  %g{first} = getelementptr {real}, ptr %arguments, i64 {loop.n_kept}",
                f"  call void {part}(ptr %s{first}, ptr %g{first})",
            ]
            first += count * passes
        code = "\n".join(lines)
        texts.append(
            f"define internal void {name}(ptr %arguments) {self.attributes} {{\n{code}\n  ret void\n}}"
        )
        return texts

    def passes(self, name: str, loop: Cycle, inner: str, count: int, together: int) -> str:
        """The function of this name for so many times some passes together.

        It takes the addresses of the first state and of what is given. Operands are loaded where they are
        first used, the next state is stored when all of it is there. Where every pass has a state of its own,
        its address moves on.
        """
        lanes = together if self.width == 1 else 1
        body, n = loop.body, loop.n_state
        e = Lanes(self.form.of_width(lanes) if lanes > 1 else self.form)
        constants = [e.real(c) for c in body.constants]
        # Of each pass, or of a vector of them.
        values = [
            [""] * body.n_inputs + constants + [""] * body.n_instructions for _ in range(together // lanes)
        ]
        real = self.form.type

        def state_at(turn: int, place: int) -> str:
            return e.line(f"getelementptr {real}, ptr %state, i64 {turn * n + place * lanes}")

        def load(number: int) -> None:
            if not 0 <= number < body.n_inputs or values[0][number]:
                return
            for turn, own in enumerate(values):
                if number < n:
                    own[number] = load_place(e, state_at(turn, number), self.width)
                elif turn:  # given: the same for all
                    own[number] = values[0][number]
                else:
                    at = e.line(f"getelementptr {real}, ptr %given, i64 {number - n}")
                    own[number] = load_place(e, at, self.width) if lanes == 1 else splat_place(e, at)

        calls = LoopCalls(AREA, inner)
        pairs: list[dict[int, tuple[Real, Real]]] = [{} for _ in values]
        for instruction in calls_first(body.instructions, body.first_instruction):
            for number in instruction[2:]:
                load(number)
            for own, known in zip(values, pairs, strict=True):
                write_instruction(e, instruction, own, known, calls)
        for number in body.results:
            load(number)
        for turn, own in enumerate(values):
            for place, number in enumerate(body.results):
                store_place(e, own[number], state_at(turn, place), self.width)
        code = "\n".join(e.lines)
        wide = f' "prefer-vector-width"="{8 * e.bytes}" "min-legal-vector-width"="{8 * e.bytes}"'
        return f"""
define internal void {name}(ptr %states, ptr %given) {self.attributes}{wide if lanes > 1 else ""} {{
start:
{area_text(body, self.form)}
  br label %again
again:
  %i = phi i64 [0, %start], [%next, %again]
  %offset = mul i64 %i, {together * n if loop.apart else 0}
  %state = getelementptr {real}, ptr %states, i64 %offset
{code}
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, {count}
  br i1 %more, label %again, label %done
done:
  ret void
}}"""
