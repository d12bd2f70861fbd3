"""Files in, files out: mechanisms from robot descriptions and from files of our own."""

import os
from collections.abc import Iterable, Mapping
from io import BytesIO, StringIO
from pathlib import Path
from typing import IO

from ..errors import FileError, InputError
from ..joints import Joint
from ..model.graph import Graph
from ..model.mechanism import Mechanism
from ..model.values import flag
from .file_source import Source, named, of, read
from .findings import Problem
from .formats import FORMATS, Format, expanded_by_name, format_of, graph_of
from .robot_names import located
from .stops import with_stops

__all__ = ["FORMATS", "Format", "Problem", "Source", "load", "load_graph", "loads", "problems", "save"]

StrPath = str | os.PathLike[str]


def load(
    path: StrPath | IO[str] | IO[bytes],
    root: Joint | None = None,
    packages: Iterable[StrPath] | None = None,
    *,
    keep_zero_limits: bool = False,
    stops: bool = False,
) -> Mechanism:
    """Load a mechanism from a file; the suffix says how it is written.

    Known are .urdf, .xml, .sdf, .toml and what else has a row in `io.FORMATS`. An .xml file is MJCF, URDF or
    SDF, as its root element says.

    URDF: links on fixed joints are merged into the body that carries them and stay as frames under
    their names; the other links are bodies. Joints come in the order of the file, parents first.
    `continuous` is a `Revolute` without limits: one angle. `mimic` is a gear. Limits, damping and
    friction stand on the body that the joint carries. What the file says and the model does not
    carry, and inertias no body can have, are listed in `warnings`.

    xacro: .xacro files are expanded into URDF by the package xacro (pip install whippletree[xacro]).

    MJCF: compiled by MuJoCo itself (pip install whippletree[mjcf]). Coordinates are in the order and with the
    zeros of its qpos; docs/format.md tells what becomes of each element, and `warnings` of what has no
    counterpart.

    SDF: joints of every type, loops included, of which a tree is found. What no joint holds to the world
    hangs on `root`, `Free()` if none is given. At zero all links are where the file places them.

    TOML: Whippletree's own format, which carries everything; docs/format.md describes it.

    Args:
        path: The file; or an open file, of text or bytes, whose content says how it is written. `loads`
            takes the text itself. "robot_descriptions:panda" and "example-robot-data:panda" are robots of
            these packages, where they are installed; nothing is downloaded.
        root: For a URDF file, the joint between the ground and the root link, such as `Free()`; it is
            named "root_joint".
            Without one the root link is fixed: a frame on the ground, its inertia without effect.
            For an SDF file, the joint of what floats, such as `Fixed()`.
        packages: Directories in which the packages of `package://name/…` are looked for, before
            those at and above the file. Meshes are never needed for dynamics: a path that leads
            nowhere stays as it is, with a warning.
        keep_zero_limits: URDF files have zeros where nobody knew a number. Positions within 0 … 0 and an
            effort or velocity of 0 are taken as not given, with a warning, unless they are to be kept.
        stops: For a URDF file, whether limits of position push back. The format names no stiffness; each
            stop gets that of a swing at 100 rad/s against the inertia which its joint moves in the neutral
            position, 1e4 s⁻² / (H⁻¹)ᵢᵢ, stable at steps of 1 ms, and a dissipation of 0.5 s/rad or s/m.
            Without, limits of position are known and exert no force.

    Raises:
        FileError: The file cannot be read, or describes no tree; names the line and what to do.
        InputError: A root that is no joint, or stops for a file that says itself which it has.

    >>> from pathlib import Path
    >>> import tempfile
    >>> import whippletree as wt
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     path = Path(directory) / "arm.urdf"
    ...     _ = path.write_text('''
    ...     <robot name="arm">
    ...       <link name="base"/>
    ...       <link name="rod">
    ...         <inertial>
    ...           <mass value="1.0"/>
    ...           <inertia ixx="0.1" iyy="0.1" izz="0.01" ixy="0" ixz="0" iyz="0"/>
    ...         </inertial>
    ...       </link>
    ...       <joint name="hinge" type="continuous"><parent link="base"/><child link="rod"/></joint>
    ...     </robot>''')
    ...     m = wt.load(path)
    >>> m, m.joint_names
    (<Mechanism 'arm': 1 body, nq = 1, nv = 1>, ['hinge'])
    """
    if root is not None and not isinstance(root, Joint):
        raise InputError(f"root is {root!r}: give a joint such as Free(), or nothing for a fixed root")
    directories = _directories(packages)
    found = located(path) if isinstance(path, str) else None
    if found is not None:
        source, reader = _opened(found.path)
        directories += found.packages
        if found.arguments:
            source, reader = expanded_by_name(source, directories, found.arguments), FORMATS[".urdf"]
    elif isinstance(path, str | os.PathLike):
        source, reader = _opened(named(path))
    elif hasattr(path, "read"):
        source = of(_name(path), path)
        reader = format_of(source)
    else:
        raise InputError(f"path is {path!r}: give the name of a file, or a file that is open for reading")
    for option, given in (("stops", stops), ("keep_zero_limits", keep_zero_limits)):
        flag(given, option)
        if given and not reader.is_urdf:
            raise InputError(f"{option}: {source.path} says itself what it means, only URDF files need it")
    m = reader.read(source, root, directories, **({"keep_zero_limits": True} if keep_zero_limits else {}))
    return with_stops(m) if stops else m


def loads(
    text: str | bytes,
    root: Joint | None = None,
    packages: Iterable[StrPath] | None = None,
    *,
    keep_zero_limits: bool = False,
    stops: bool = False,
) -> Mechanism:
    """Load a mechanism from a text: MJCF, URDF or SDF if it is XML, by its root element, else our own TOML.

    Args:
        text: What would stand in the file; meshes are looked for as beside a file in the current directory.
        root, packages, keep_zero_limits, stops: As in `load`.

    >>> import whippletree as wt
    >>> m = wt.loads('<robot name="r"><link name="base"/></robot>')
    >>> m.name, m.frames[0].name
    ('r', 'base')
    """
    if not isinstance(text, str | bytes):
        raise InputError(f"text is {text!r}: give a text, or bytes")
    if isinstance(text, str) and "\n" not in text and text.lower().endswith(tuple(FORMATS)):
        raise InputError(f"text is {text!r}: that names a file, which wt.load reads")
    file = StringIO(text) if isinstance(text, str) else BytesIO(text)
    return load(file, root, packages, keep_zero_limits=keep_zero_limits, stops=stops)


def save(m: Mechanism | Graph, path: StrPath) -> None:
    """Write a mechanism into a file; the suffix says how: .toml, .urdf, .xml (MJCF), or one of `io.FORMATS`.

    TOML, our own format, carries all that a mechanism has: what is loaded from it equals m, to the last bit.
    URDF has trees of a few joint types, MJCF more, and loops of hinges, balls and welds as equalities.
    What they have no words for is refused, by names. MuJoCo numbers bodies branch after branch, so that the
    order of coordinates may change. A file is written whole or not at all.

    Args:
        m: The mechanism; or a `Graph`, for a .toml file in which no joint is cut yet. `load` finds a tree.
        path: The file, replaced if it exists.

    Raises:
        FileError: The file cannot be written, or m has something that the format has no words for, as TOML
            for a joint type of your own, or URDF for a loop.

    >>> from pathlib import Path
    >>> import tempfile
    >>> import whippletree as wt
    >>> m = wt.examples.load("cart-pole")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     wt.save(m, Path(folder) / "cart-pole.toml")
    ...     wt.load(Path(folder) / "cart-pole.toml") == m
    True
    """
    if not isinstance(m, Mechanism | Graph):
        raise InputError(f"m is {type(m).__name__}, expected a Mechanism")
    path = named(path)
    found = FORMATS.get(path.suffix.lower())
    if found is None or found.save is None:
        known = ", ".join(suffix for suffix, entry in FORMATS.items() if entry.save is not None)
        raise FileError(path, f"cannot be written: its suffix is {path.suffix!r}, and known are {known}")
    if isinstance(m, Graph) and path.suffix.lower() != ".toml":
        raise FileError(path, "cannot be written: a graph has no tree yet; take .toml, or g.mechanism()")
    found.save(m, path)  # pyright: ignore[reportArgumentType]  # TOML has words for graphs


def load_graph(path: StrPath) -> Graph:
    """Load a graph from a .toml file that has [[joint]]s, to be built further or cut elsewhere.

    `load` gives the mechanism of such a file at once.

    Args:
        path: The file, as `save` writes it of a `Graph`.

    Raises:
        FileError: The file cannot be read, is no graph, or describes an impossible one.

    >>> from pathlib import Path
    >>> import tempfile
    >>> import whippletree as wt
    >>> g = wt.Graph("swing")
    >>> g.add_body("seat", wt.Inertia(20.0, (0.0, 0.0, -1.5)))
    >>> g.add_joint("beam", wt.Revolute("y"), "ground", "seat", damping=0.3)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     wt.save(g, Path(folder) / "swing.toml")
    ...     wt.load_graph(Path(folder) / "swing.toml")
    <Graph 'swing': 1 body, 1 joint>
    """
    path = named(path)
    if path.suffix.lower() != ".toml":
        raise FileError(path, f"has the suffix {path.suffix!r}: graphs are kept in .toml files")
    return graph_of(read(path))


def problems(path: StrPath, packages: Iterable[StrPath] | None = None) -> list[Problem]:
    """Everything that is wrong or odd in a file, in the order of its lines; empty if nothing is.

    Args:
        path, packages: As in `load`.

    Returns:
        The errors that make `load` refuse the file, and the warnings and notes that `load` would
        put into `warnings`. A file that cannot be read at all is one error.

    >>> problems("nowhere.urdf")[0].severity
    'error'
    """
    directories = _directories(packages)
    try:
        source, reader = _opened(Path(path))
        return reader.found(source, directories)
    except FileError as error:
        return [Problem(error.line, error.message, "error")]


def _opened(path: Path) -> tuple[Source, Format]:
    """The content of a file, and how it is read: .xml tells of no format, its content does."""
    reader, source = _format(path), read(path)
    return source, format_of(source) if path.suffix.lower() == ".xml" else reader


def _format(path: Path) -> Format:
    """How the file is read; FileError for a suffix that is not known."""
    if os.path.isdir(path):  # which is False, not an error, for a name that no file can have
        inside = sorted(name for name in _listed(path) if Path(name).suffix in FORMATS)
        hint = f"such as {inside[0]!r}" if inside else f"with the suffix {' or '.join(FORMATS)}"
        raise FileError(path, f"is a directory: give a file, {hint}")
    found = FORMATS.get(path.suffix.lower())
    if found is None and str(path).lstrip().startswith("<"):
        raise FileError("text", "is no name of a file: wt.loads reads a text")
    if found is None and not path.suffix:
        raise FileError(
            path,
            f"has no suffix to tell its format; known: {', '.join(FORMATS)}. wt.examples.load({str(path)!r}) "
            f"loads a bundled mechanism, wt.load('example-robot-data:{path}') a robot of that package",
        )
    if found is None:
        raise FileError(path, f"has the unknown suffix {path.suffix!r}; known: {', '.join(FORMATS)}")
    return found


def _name(file: object) -> Path:
    """What an open file is called in messages."""
    name = getattr(file, "name", None)
    return Path(name) if isinstance(name, str) and name else Path("text")


def _listed(directory: Path) -> list[str]:
    try:
        return os.listdir(directory)
    except OSError:  # it may not be looked into
        return []


def _directories(packages: Iterable[StrPath] | None) -> list[Path]:
    if isinstance(packages, (str, os.PathLike)):
        raise InputError(f"packages is {packages!r}: give a list of directories, such as [{str(packages)!r}]")
    if packages is not None and (not isinstance(packages, Iterable) or isinstance(packages, Mapping)):
        raise InputError(f"packages is {packages!r}: give a list of directories, such as ['robots']")
    packages = () if packages is None else tuple(packages)
    for directory in packages:
        if not isinstance(directory, (str, os.PathLike)):
            raise InputError(f"packages has {directory!r}: give directories, such as 'robots'")
    return [Path(directory) for directory in packages]
