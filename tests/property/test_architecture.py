"""The house: which room may know which. Read from the sources by `ast`; nothing is imported."""

import ast
import tokenize
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

SOURCE = Path(__file__).parents[2] / "src" / "whippletree"

ROOT = {"__init__.py", "__main__.py", "_version.py", "errors.py", "py.typed", "uncollected.py"}
"""Files that lie in the root; everything else is in a room."""

DIVIDED = ("kernels", "loops", "contact", "formulations", "io")
"""Packages whose sub-packages are rooms of their own."""

HOUSE = """
errors            →
_version          →
uncollected       →
spatial           → errors
joints            → errors spatial
shapes            → errors spatial
model             → errors spatial joints shapes

kernels           →
kernels.trace     → errors uncollected
kernels.simplify  → uncollected kernels.trace
kernels.derive    → errors kernels.trace
kernels.emit      → kernels.trace
kernels.export    → errors kernels.trace
kernels.store     → kernels.trace
kernels.run       → errors uncollected kernels.trace kernels.emit kernels.store

checks            → errors spatial joints model kernels.trace
dynamics          → errors spatial model checks
loops.equations   → errors spatial joints model
loops.closing     → errors spatial joints model loops.equations
loops.methods     → errors spatial model dynamics loops.equations
loops             → checks loops.equations loops.closing loops.methods

formulations.reduction → errors spatial model checks loops.equations

formulations.special_coordinates → errors spatial model checks dynamics loops.equations

formulations.lagrange → errors spatial model checks
formulations.semi_recursive → errors spatial joints model checks dynamics loops.equations loops.methods
formulations      → formulations.reduction formulations.special_coordinates formulations.lagrange
                    formulations.semi_recursive

contact.geometry  → errors spatial shapes model dynamics
contact.problems  → errors spatial model dynamics loops.equations loops.closing contact.geometry
contact.impulses  → errors spatial model dynamics contact.geometry contact.problems
contact.compliant → errors spatial model dynamics contact.geometry
contact.sweeps    → errors spatial model dynamics loops.methods contact.geometry
contact           → model checks loops.methods contact.geometry contact.problems contact.impulses
                    contact.compliant contact.sweeps

io                → errors uncollected spatial joints shapes model dynamics contact.geometry
io.urdf           → errors spatial joints shapes model io
io.toml           → errors spatial joints shapes model io
io.mjcf           → errors spatial joints shapes model dynamics contact.geometry io
io.sdf            → errors spatial joints shapes model io
edit              → errors spatial joints model
examples          → errors spatial joints shapes model io

api               → errors spatial joints model kernels.trace kernels.simplify kernels.derive kernels.export
                    kernels.store kernels.run checks dynamics loops.equations loops.closing loops.methods
                    formulations.reduction formulations.special_coordinates formulations.lagrange
                    formulations.semi_recursive
reaching          → errors spatial model kernels.run dynamics loops.equations loops.closing api
analysis          → errors spatial model kernels.run checks dynamics loops.equations loops.closing api
simulation        → errors _version spatial joints model kernels.trace kernels.simplify kernels.derive
                    kernels.run checks dynamics loops.equations loops.closing loops.methods contact.geometry
                    contact.problems contact.impulses contact.compliant contact.sweeps io edit api analysis
control           → errors spatial model kernels.trace kernels.simplify kernels.store kernels.run api analysis
                    simulation
identification    → errors spatial model checks dynamics api simulation
interop           → errors kernels.trace kernels.simplify kernels.derive kernels.emit kernels.store
                    kernels.run
adjoint           → errors spatial model kernels.trace kernels.simplify kernels.derive kernels.store
                    kernels.run dynamics loops.equations loops.closing contact.geometry contact.compliant
                    contact.sweeps api simulation
benchmark         → errors spatial joints model kernels.trace kernels.store kernels.run checks dynamics
                    loops.closing loops io examples api
display           → errors spatial joints shapes model dynamics loops.equations loops.closing
                    formulations.special_coordinates formulations.semi_recursive contact.geometry io api
                    analysis simulation benchmark
cli               → errors _version spatial joints model kernels.store kernels.run dynamics loops.closing
                    loops io examples api analysis simulation benchmark display

whippletree       → errors _version spatial joints shapes model kernels.trace kernels.run checks dynamics
                    loops formulations contact io edit examples api reaching analysis simulation control
                    identification interop adjoint benchmark display
__main__          → cli
"""
"""What each room imports. A room stands below all that it imports, so that no arrow points back."""

LATE = {
    ("joints.base", "joints"): "a type: what a joint is along its axis is a joint",
    ("model.mechanism", "api"): "m.kernel is a method of the mechanism, made by what stands far above it",
    ("model.mechanism", "kernels.run"): "the type of what m.kernel returns",
    ("model.summary", "model"): "a type: mechanism imports summary for m.summary()",
    ("model.report", "model"): "a type: kinds tell how they are reported",
    ("model.kinds", "model"): "a type: a mechanism walks the table of kinds, whose rows check it",
    ("model.parts", "model"): "a type: parts are checked against the mechanism that holds them",
    ("model.force", "model"): "a type, likewise",
    ("model.contact", "model"): "a type, likewise",
    ("model.gear", "model"): "a type, likewise",
    ("model.loop", "model"): "a type, likewise",
    ("model.positions", "model"): "a type: the mechanism moves its positions",
    ("model.values", "model"): "a type: the mechanism checks what it is given",
    ("kernels.run.kernel", "kernels.export"): "most kernels are never exported",
    ("kernels.run.kernel", "kernels.run"): "a packed kernel is a kernel, and made by a method of one",
    ("simulation.trajectory", "simulation"): "save is a method of the trajectory that it writes",
    ("simulation.trajectory", "display"): "plot, animate and view are methods of the trajectory they show",
    ("analysis.driven_kinematics", "display"): "plot and animate are methods of the motion they show",
    ("analysis.modes", "display"): "likewise",
    ("simulation.files", "io.toml"): "most runs are never written",
    ("io.mjcf.mjcf_read", "io.mjcf"): "a compiled model needs MuJoCo, which is not always installed",
    ("io.mesh_files", "io"): "the folder of a mesh needs trimesh, which is not always installed",
    ("display.viewer", "display"): "controls and scenes need viser, which is not always installed",
    ("cli.app", "cli"): "the peers that bench looks for take a while to import",
}
"""Imports inside functions and those of types alone, which may point back: (module, room), and the reason."""

LINES = 400
"""No source file has more lines."""

ALGORITHMS, CODE_LINES = ("dynamics", "loops.methods", "formulations.", "contact."), 150
"""Files in rooms that begin so have fewer lines of code: neither blank nor documentation nor comment."""


class Import(NamedTuple):
    module: str
    target: str
    late: bool  # inside a function, or for types alone


@cache
def modules() -> dict[str, Path]:
    """Every module of the library by its name below `whippletree`; packages have theirs."""
    found = {}
    for path in sorted(SOURCE.rglob("*.py")):
        parts = path.relative_to(SOURCE).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def room(module: str) -> str:
    """The room of a module: a package, a package of a divided one, or a file of the root."""
    parts = module.split(".")
    if parts[0] in DIVIDED and len(parts) > 1 and (SOURCE / parts[0] / parts[1]).is_dir():
        return ".".join(parts[:2])
    return parts[0] or "whippletree"


def targets(node: ast.Import | ast.ImportFrom, module: str, package: bool) -> Iterator[str]:
    """Modules of the library that a statement imports, by their names below `whippletree`."""
    if isinstance(node, ast.Import):
        names = [alias.name.partition(".") for alias in node.names]
        yield from (rest for first, _, rest in names if first == "whippletree")
        return
    above = node.module.split(".") if node.module else []
    if node.level == 0:
        if above[0] != "whippletree":
            return
        base = above[1:]
    else:
        here = module.split(".") if module else []
        here = here if package else here[:-1]
        base = here[: len(here) - node.level + 1] + above
    for alias in node.names:
        deeper = ".".join([*base, alias.name])
        yield deeper if deeper in modules() else ".".join(base)


def imports(module: str, path: Path) -> Iterator[Import]:
    """What a module imports of the library, wherever the statement stands."""
    package = path.name == "__init__.py"

    def walk(node: ast.AST, late: bool) -> Iterator[Import]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.Import | ast.ImportFrom):
                yield from (Import(module, target, late) for target in targets(child, module, package))
            hidden = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
            typing = isinstance(child, ast.If) and "TYPE_CHECKING" in ast.dump(child.test)
            yield from walk(child, late or hidden or typing)

    return walk(ast.parse(path.read_text()), late=False)


@cache
def all_imports() -> list[Import]:
    return [found for module, path in modules().items() for found in imports(module, path)]


def drawn(house: str) -> dict[str, list[str]]:
    """The rooms of a drawing, each with those it imports."""
    rooms: dict[str, list[str]] = {}
    for line in filter(str.strip, house.splitlines()):
        name, arrow, rest = line.partition("→")
        if arrow:
            rooms[name.strip()] = rest.split()
        else:
            rooms[list(rooms)[-1]] += line.split()
    return rooms


def against(house: dict[str, list[str]], found: Iterable[Import]) -> list[str]:
    """Differences between a drawing and imports at the head of modules."""
    seen: dict[tuple[str, str], str] = {}
    for module, target, late in found:
        if not late and room(module) != room(target):
            seen.setdefault((room(module), room(target)), module or "whippletree")
    allowed = {(below, above) for below, rooms in house.items() for above in rooms}
    extra = [f"{a} → {b} is not in the drawing: {seen[a, b]}" for a, b in sorted(seen.keys() - allowed)]
    return [*extra, *(f"{a} → {b} is drawn and not there" for a, b in sorted(allowed - seen.keys()))]


def test_every_arrow_is_in_the_drawing() -> None:
    assert against(drawn(HOUSE), all_imports()) == []


def test_every_room_is_drawn_below_those_it_imports() -> None:
    house = drawn(HOUSE)
    assert set(house) == {room(module) for module in modules()}
    order = list(house)
    back = [f"{a} → {b}" for a, rooms in house.items() for b in rooms if order.index(b) >= order.index(a)]
    assert back == []
    assert all(len(set(rooms)) == len(rooms) for rooms in house.values())


def test_late_imports_are_listed_with_their_reason() -> None:
    late = {(found.module, room(found.target)) for found in all_imports() if found.late}
    assert late == set(LATE)


def test_walls_that_carry_the_house() -> None:
    house = drawn(HOUSE)
    for name, rooms in house.items():
        if name.startswith("kernels"):
            assert all(
                above in ("errors", "uncollected") or above.startswith("kernels") for above in rooms
            ), name
    assert not [name for name in house["dynamics"] if name.startswith(("io", "kernels"))]
    above_model = [(module, above) for module, above in LATE if module.startswith("model.")]
    assert ("model.mechanism", "api") in above_model
    tree = ast.parse((SOURCE / "model" / "mechanism.py").read_text())
    inside = [
        function.name
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef)
        and any(isinstance(node, ast.ImportFrom) and node.level for node in ast.walk(function))
    ]
    assert inside == ["kernel"]


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("from ..io.toml.toml_read import load", ("io.toml", False)),
        ("from .. import io", ("io", False)),
        ("from .. import errors, compile", ("whippletree", False)),
        ("import whippletree.io.toml", ("io.toml", False)),
        ("from whippletree.loops.methods.kkt import kkt", ("loops.methods", False)),
        ("def f():\n    from ..io import load", ("io", True)),
        ("class A:\n    def f(self):\n        import whippletree.io", ("io", True)),
        ("if TYPE_CHECKING:\n    from ..io import load", ("io", True)),
        ("try:\n    from ..io import load\nexcept ImportError:\n    pass", ("io", False)),
    ],
)
def test_an_import_is_seen_wherever_it_stands(
    tmp_path: Path, statement: str, expected: tuple[str, bool]
) -> None:
    path = tmp_path / "rnea.py"
    path.write_text(statement)
    found = [(room(target), late) for _, target, late in imports("dynamics.rnea", path)]
    assert expected in found


def test_arrows_too_many_and_too_few_are_told() -> None:
    found = [Import("dynamics.rnea", "io.formats", False), Import("dynamics.rnea", "model.jcalc", False)]
    assert against({"dynamics": ["model", "spatial"]}, found) == [
        "dynamics → io is not in the drawing: dynamics.rnea",
        "dynamics → spatial is drawn and not there",
    ]


def test_the_root_holds_rooms_and_little_else() -> None:
    files = {path.name for path in SOURCE.iterdir() if path.is_file()}
    folders = {path for path in SOURCE.iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert files == ROOT
    assert all((folder / "__init__.py").exists() for folder in folders)


def code_lines(path: Path) -> int:
    """How many lines of a file are code."""
    documentation: set[int] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        documented = isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        if documented and ast.get_docstring(node) is not None:
            documentation |= {*range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1)}
    silent = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT}
    code: set[int] = set()
    with path.open("rb") as file:
        for token in tokenize.tokenize(file.readline):
            if token.type not in {*silent, tokenize.ENCODING, tokenize.ENDMARKER}:
                code |= {*range(token.start[0], token.end[0] + 1)}
    return len(code - documentation)


def test_scipy_is_imported_on_use() -> None:
    early = []
    for name, path in modules().items():
        for node in ast.parse(path.read_text()).body:
            heads = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            heads += [node.module or ""] if isinstance(node, ast.ImportFrom) and node.level == 0 else []
            early += [name for head in heads if head.partition(".")[0] == "scipy"]
    assert early == []  # it takes longer to import than all the rest


def test_files_are_short() -> None:
    long = {name: len(path.read_text().splitlines()) for name, path in modules().items()}
    assert {name: lines for name, lines in long.items() if lines > LINES} == {}
    code = {name: code_lines(path) for name, path in modules().items() if room(name).startswith(ALGORITHMS)}
    assert {name: lines for name, lines in code.items() if lines >= CODE_LINES} == {}


def test_lines_of_code_are_counted_without_documentation(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    head = ['"""One', 'two."""', "", "# why", "x = [", "    1,  # one", "]"]
    path.write_text("\n".join([*head, "def f():", '    """Says."""', '    return """a', 'b"""', ""]))
    assert code_lines(path) == 6


def test_no_two_modules_and_no_two_classes_share_a_name() -> None:
    names = Counter(path.stem for path in modules().values() if path.name != "__init__.py")
    assert [name for name, count in names.items() if count > 1] == []
    classes = Counter(
        node.name
        for path in modules().values()
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ClassDef)
    )
    assert [name for name, count in classes.items() if count > 1] == []
