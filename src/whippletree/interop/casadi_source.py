"""The C of a library that CasADi loads: exported kernels, and around each what CasADi asks of a function."""

from collections.abc import Sequence

from .casadi_levels import Level, Pattern


def library_source(levels: Sequence[Level], name: str) -> str:
    """The text of a library with a function, its Jacobian as jac_name, and so on."""
    functions = (_function(level, f"{'jac_' * order}{name}") for order, level in enumerate(levels))
    return "\n".join(["#include <string.h>", *functions])


def _function(level: Level, name: str) -> str:
    """The kernel, a function of CasADi's form that calls it, and functions that tell of sizes."""
    level.kernel.name = f"kernel_of_{name}"
    taken = level.inputs[: len(level.kernel.program.inputs)]
    filled = [(n, pattern) for n, pattern in enumerate(level.results) if pattern.n_places]
    # A missing argument is zero, a missing result is not wanted: for both there is room in w, every array
    # a place of its own.
    lines, pointers, room = [], [], 0
    for n, pattern in enumerate(taken):
        size = pattern.n_places
        lines.append(f"    const double *x{n} = arg[{n}];")
        lines.append(f"    if (!x{n}) {{ x{n} = w + {room}; memset(w + {room}, 0, {8 * size}); }}")
        pointers.append(f"x{n}")
        room += size
    for n, pattern in filled:
        pointers.append(f"res[{n}] ? res[{n}] : w + {room}")
        room += pattern.n_places
    body, call = "\n".join(lines), ", ".join(pointers)
    return f"""{level.kernel.source("c")}
int {name}(const double **arg, double **res, long long *iw, double *w, int mem) {{
    (void)iw; (void)mem;
{body}
    kernel_of_{name}({call});
    return 0;
}}

long long {name}_n_in(void) {{ return {len(level.inputs)}; }}
long long {name}_n_out(void) {{ return {len(level.results)}; }}
{_sparsities(f"{name}_sparsity_in", level.inputs)}
{_sparsities(f"{name}_sparsity_out", level.results)}
int {name}_work(long long *arg, long long *res, long long *iw, long long *w) {{
    *arg = {len(level.inputs)}; *res = {len(level.results)}; *iw = 0; *w = {room};
    return 0;
}}
"""


def _sparsities(name: str, patterns: Sequence[Pattern]) -> str:
    """A function that gives a pattern by its number, in CasADi's form: size, begins of columns, rows."""
    tables, cases = [], []
    for n, pattern in enumerate(patterns):
        begins, rows = pattern.compressed()
        numbers = ", ".join(map(str, [pattern.rows, pattern.columns, *begins, *rows]))
        tables.append(f"static const long long {name}_{n}[] = {{{numbers}}};")
        cases.append(f"    case {n}: return {name}_{n};")
    return "\n".join(
        [*tables, f"const long long *{name}(long long i) {{", "    switch (i) {", *cases,
         "    default: return 0;", "    }", "}"]
    )  # fmt: skip
