"""The command `whippletree`.

Exit codes: 0 success; 1 problems found, results that differ, or a simulation that could not continue; 2 wrong
usage, or a file that cannot be read or written; 130 interrupted by Ctrl-C.
"""

from enum import StrEnum
from pathlib import Path
from time import perf_counter
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.text import Text

from .. import examples, simulation
from .._version import __version__
from ..display.animation import MOVIES
from ..display.plots import PICTURES
from ..display.viewer import view
from ..errors import SimulationError
from ..kernels.store import cache
from ..model.mechanism import Mechanism
from ..model.report import mechanism_data
from ..model.summary import remarks
from ..model.wording import counted
from ..simulation.files import SUFFIXES as TABLES
from . import demo as cli_demo
from . import export as cli_export
from . import machines as cli_machines
from . import simulate as cli_simulate
from . import source as cli_source
from . import tour as demo
from . import tour_motion as demo_motion
from . import view as cli_view
from .options import (
    PROBLEMS_FOUND,
    AsJson,
    Drive,
    Floating,
    Source,
    Stops,
    one_line_errors,
    writable,
)
from .printing import as_table, console_here, print_json, print_tree
from .surroundings import OneLineUsage, import_own, prepare_streams

app: typer.Typer = typer.Typer(
    cls=OneLineUsage,
    help="Rigid multibody dynamics.",
    epilog="Exit codes: 0 success; 1 problems found, or a simulation that could not continue; 2 wrong usage, "
    "or a file that cannot be read or written; 130 interrupted.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


class CacheAction(StrEnum):
    """What to do with the cache."""

    info = "info"
    clear = "clear"


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"whippletree {__version__}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
    own: Annotated[
        list[str] | None,
        typer.Option(
            "--with",
            metavar="MODULE",
            help="Import a module of yours first, for the file formats, part kinds, shapes, integrators and "
            "methods that it adds.",
        ),
    ] = None,
) -> None:
    """Rigid multibody dynamics: look at mechanisms, check files, see what it does."""
    prepare_streams()
    import_own(own or [])


@app.command()
def info(source: Source, floating: Floating = False, as_json: AsJson = False) -> None:
    """Show a mechanism: its tree, joints, masses, limits, totals and warnings."""
    with one_line_errors():
        m = cli_source.load(source, floating)
    if as_json:
        print_json(mechanism_data(m))
        return
    console = console_here()
    print_tree(console, m)
    for line in remarks(m):
        console.print(Text(line), soft_wrap=True)


@app.command()
def check(source: Source, as_json: AsJson = False) -> None:
    """List every problem of a file, with its line; exit code 1 if there is one, notes not counted.

    An error keeps the file from being loaded; a warning is something that is wrong or cannot work; a
    note is something that the file says and the mechanism does not carry. Loops and gears are tried to be
    closed, from the neutral position and from others.
    """
    with one_line_errors():
        found = cli_source.problems(source)
    faults = [problem for problem in found if problem.severity != "note"]
    if as_json:
        listed = [{"line": p.line, "severity": p.severity, "message": p.message} for p in found]
        print_json({"source": source, "ok": not faults, "problems": listed})
    else:
        console = console_here()
        for problem in found:
            where = source if problem.line is None else f"{source}:{problem.line}"
            text = Text(f"{where}: ").append(problem.severity, _STYLES[problem.severity])
            console.print(text.append(f": {problem.message}"), soft_wrap=True)
        counts = [
            counted(sum(p.severity == kind for p in found), kind, f"{kind}s")
            for kind in ("error", "warning", "note")
        ]
        console.print(Text(f"{source}: {', '.join(counts)}"), soft_wrap=True)
    if faults:
        raise typer.Exit(PROBLEMS_FOUND)


@app.command()
def simulate(
    source: Source,
    duration: Annotated[float, typer.Option(help="How long, in s.")] = 10.0,
    q0: Annotated[
        str | None, typer.Option("--q0", help="Position at the start: all numbers, or joint=value pairs.")
    ] = None,
    qd0: Annotated[str | None, typer.Option("--qd0", help="Velocity at the start, likewise.")] = None,
    drive: Drive = None,
    method: Annotated[
        str, typer.Option(help="Integrator: auto, euler, midpoint, rk4, rk6, DOP853 …")
    ] = "auto",
    dynamics: Annotated[
        str, typer.Option(help="Method of forward dynamics: auto, aba, crba, for loops grcr, kkt …")
    ] = "auto",
    dt: Annotated[float | None, typer.Option(help="Step of an integrator of fixed step, in s.")] = None,
    sample: Annotated[float | None, typer.Option(help="Time between recorded states, in s.")] = None,
    rtol: Annotated[float, typer.Option(help="Relative tolerance of a step that is chosen.")] = 1e-8,
    atol: Annotated[float, typer.Option(help="Its absolute tolerance, in rad, m, rad/s or m/s.")] = 1e-10,
    out: Annotated[Path | None, typer.Option(help="Write the trajectory: .npz, .csv or .parquet.")] = None,
    plot: Annotated[Path | None, typer.Option(help="Write a picture: .png, .svg or .pdf.")] = None,
    movie: Annotated[Path | None, typer.Option("--gif", help="Write a movie: .gif or .mp4.")] = None,
    floating: Floating = False,
    stops: Stops = True,
    as_json: AsJson = False,
) -> None:
    """Let a mechanism move, from rest in its neutral position unless told otherwise.

    Joints of a URDF that have stops start within their limits. Loops are closed around the joints that are
    named, and their velocities follow the named ones.

    Files are written when all is computed, and whole or not at all.
    """
    with one_line_errors():
        cli_simulate.check_step(method, dt)
        m = cli_source.load(source, floating, stops=stops)
        stopped = cli_source.stops_told(m, source)
        targets = [(out, TABLES), (plot, PICTURES), (movie, MOVIES)]
        files = [writable(path, suffixes) for path, suffixes in targets if path is not None]
        start = perf_counter()
        begin = cli_simulate.position(m, q0) if q0 or not stopped else cli_simulate.within_stops(m)
        try:
            run = simulation.simulate(
                m,
                begin,
                cli_simulate.velocity(m, qd0, begin),
                duration,
                method=method,
                dynamics=dynamics,
                dt=dt,
                sample=sample,
                rtol=rtol,
                atol=atol,
                drive=cli_simulate.speeds(drive),
            )
        except SimulationError as error:
            typer.echo(f"whippletree: {error}", err=True)
            raise typer.Exit(PROBLEMS_FOUND) from None
        told = cli_simulate.outcome(run, perf_counter() - start)
        if out is not None:
            run.save(out)
        if plot is not None:
            run.plot(plot)
        if movie is not None:
            run.animate(movie)
    if as_json:
        print_json(told)
        return
    console = console_here()
    console.print(Text(m.name, "bold"))
    rest = [["stops", stopped]] * bool(stopped) + [["written", str(path)] for path in files]
    for heading, text in [*cli_simulate.rows(told), *rest]:
        console.print(Text(f"  {heading:15}{text}"), soft_wrap=True)


app.command()(cli_machines.kinematics)
app.command()(cli_machines.equilibrium)
app.command()(cli_machines.modes)
app.command()(cli_export.export)


@app.command("view")
def show(
    source: Annotated[
        str,
        typer.Argument(
            metavar="FILE|EXAMPLE|TRAJECTORY",
            help="A robot file, a bundled mechanism, or a trajectory saved as .npz.",
        ),
    ],
    port: Annotated[
        int | None, typer.Option(min=0, max=65535, help="Of the web page; by default 8080 or the next free.")
    ] = None,
    host: Annotated[
        str, typer.Option(help="Address to listen at; 0.0.0.0 to be reached from other machines.")
    ] = "127.0.0.1",
    floating: Floating = False,
    package: Annotated[
        list[Path] | None, typer.Option(help="Directory in which packages with meshes are looked for.")
    ] = None,
    stops: Stops = True,
    browser: Annotated[bool, typer.Option("--open", help="Open the page in the browser.")] = False,
) -> None:
    """Show a mechanism, or play a trajectory, in the browser, until Ctrl-C.

    Move joints by sliders, drag gravity, simulate from the pose shown, plot energies.
    """
    with one_line_errors():
        what = cli_view.shown(source, floating, package or [], stops)
        viewer = view(what, port=port, host=host)
        cli_view.begin(viewer, source)
    told = cli_source.stops_told(what, source) if isinstance(what, Mechanism) else ""
    cli_view.run(viewer, browser, told)


@app.command("examples")
def list_examples(as_json: AsJson = False) -> None:
    """List the bundled mechanisms."""
    found = []
    for name in examples.names():
        m = examples.load(name)
        found.append({"name": name, "bodies": len(m), "nv": m.nv, "about": examples.about(name)})
    if as_json:
        print_json(found)
        return
    rows = [[str(value) for value in entry.values()] for entry in found]
    console_here().print(as_table(["name", "bodies", "nv", "what it is"], rows, numbers=("bodies", "nv")))


@app.command("demo")
def run_demo(
    picture: Annotated[Path, typer.Option(help="Where the picture goes: .png, .svg or .pdf.")] = Path(
        "whippletree-demo.png"
    ),
    as_json: AsJson = False,
) -> None:
    """Compare all formulations and integrators on bundled mechanisms; draw a picture. Takes seconds."""
    console = None if as_json else console_here()
    with one_line_errors():
        writable(picture, PICTURES)
        compared = cli_demo.formulations(console, as_table)
        drifts = cli_demo.integrators(console, as_table)
        many = demo_motion.many()
        missing = cli_demo.picture(drifts, picture)
    agree = many["finite"] and all(entry["difference"] <= demo.AGREEMENT for entry in compared)
    if console is None:
        told = {"agree": agree, "formulations": compared, "integrators": [drift.told() for drift in drifts]}
        print_json({**told, "rollout": many, "picture": None if missing else str(picture)})
    else:
        console.print(cli_demo.many_text(many))
        console.print(Text(missing or f"Picture: {picture.absolute()}"), soft_wrap=True)
    if not agree:
        typer.echo(f"whippletree: results differ by more than {demo.AGREEMENT:g}", err=True)
        raise typer.Exit(PROBLEMS_FOUND)
    if console is not None:
        console.print(f"All results agree to {demo.AGREEMENT:g}. Now try: whippletree examples")


@app.command()
def compare(
    source: Source,
    plot: Annotated[
        Path | None, typer.Option(help="Write a picture, growth with the size included: .png, .svg or .pdf.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Compare every method and formulation of forward dynamics on one state: agreement, operations, time.

    Exit code 1 if accelerations differ.
    """
    from . import compare as cli_compare  # measuring is imported only where something is measured

    with one_line_errors():
        if plot is not None:
            writable(plot, PICTURES)
        told = cli_compare.run(None if as_json else console_here(), cli_source.load(source), plot)
    if as_json:
        print_json(told)
    if not told["agree"]:
        typer.echo(f"whippletree: accelerations differ by {told['largest_difference']:.1e}", err=True)
        raise typer.Exit(PROBLEMS_FOUND)


@app.command()
def bench(
    sources: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="FILE|EXAMPLE",
            help="Robot files or names of bundled mechanisms; the published robots by default.",
        ),
    ] = None,
    floating: Annotated[bool, typer.Option("--floating", help="Let the roots of URDFs move freely.")] = False,
    out: Annotated[Path, typer.Option(help="Where the figures go, as JSON.")] = Path(
        "whippletree-bench.json"
    ),
    rounds: Annotated[int, typer.Option(min=1, help="Rounds of which the best counts.")] = 20,
    as_json: AsJson = False,
) -> None:
    """Time compiled kernels beside Pinocchio, MuJoCo and dynibo, where they are installed.

    Those are given URDF files only; what is in other files is timed alone.
    """
    from . import bench as cli_bench  # the peers it looks for take a while to import

    with one_line_errors():
        console = Console(stderr=True) if as_json else console_here()  # tables and progress, out of the way
        report = cli_bench.bench(console, sources or [], floating, out, rounds)
    if as_json:
        print_json(report)


@app.command("cache")
def manage_cache(
    action: Annotated[
        CacheAction, typer.Argument(help="Show the compiled kernels kept on disk, or remove them.")
    ],
    as_json: AsJson = False,
) -> None:
    """Show the compiled kernels kept on disk, or remove them; exit code 1 if one cannot be removed."""
    told = cache.info() if action is CacheAction.info else cache.clear()
    left = told.left if isinstance(told, cache.Cleared) else ()
    if as_json:
        path = None if told.path is None else str(told.path)
        data: dict[str, Any] = {"path": path, "entries": told.entries, "bytes": told.bytes}
        if action is CacheAction.info:
            data["limit"] = cache.LIMIT
        if isinstance(told, cache.Cleared):
            data["left"] = [{"path": str(path), "reason": reason} for path, reason in left]
        print_json(data)
    elif told.path is None:
        typer.echo("nothing is kept: there is no home directory for a cache")
    else:
        verb = "kept in" if action is CacheAction.info else "removed from"
        what = "program or piece of machine code", "programs and pieces of machine code"
        size = f"{told.bytes / 1e6:.1f} MB"
        if action is CacheAction.info:
            size += f" of at most {cache.LIMIT / 1e6:.0f} MB"
        typer.echo(f"{counted(told.entries, *what)}, {size}, {verb} {told.path}")
    for path, reason in left:
        typer.echo(f"whippletree: {path} cannot be removed: {reason}", err=True)
    if left:
        typer.echo(f"whippletree: {len(left)} could not be removed", err=True)
        raise typer.Exit(PROBLEMS_FOUND)


_STYLES = {"error": "bold red", "warning": "yellow", "note": "dim"}
