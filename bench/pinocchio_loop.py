"""Pinocchio's derivatives in a loop of C++, compiled from the headers of its package for this processor.

Needs a compiler, g++ or clang++, and Eigen's headers: those of Debian's libeigen3-dev, or of the package
cmeel-eigen. Without them there is no such loop. Compiling takes some two minutes; what it makes is kept among
the temporary files, by the content of the source and the version of Pinocchio.
"""

import ctypes
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

pin: Any = import_module("pinocchio")

SOURCE = Path(__file__).with_suffix(".cpp")
WHICH = {"rnea": 0, "aba": 1, "inverse": 2}
DEFINED = (
    *("NDEBUG", "BOOST_MPL_LIMIT_LIST_SIZE=30", "BOOST_MPL_LIMIT_VECTOR_SIZE=30"),
    *("BOOST_MPL_CFG_NO_PREPROCESSED_HEADERS", "BOOST_FUSION_INVOKE_MAX_ARITY=12"),
)
"""As Pinocchio's own users have them from its CMake files."""


def native_loop() -> ctypes.CDLL | None:
    """The compiled loop; None if there is no compiler, or no headers of Eigen."""
    compiler = next((path for name in ("g++", "clang++", "c++") if (path := shutil.which(name))), None)
    prefix = next(path for path in Path(pin.__file__).parents if path.name == "cmeel.prefix")
    places = (prefix / "include" / "eigen3", Path("/usr/include/eigen3"))
    eigen = next((path for path in places if (path / "Eigen" / "Core").is_file()), None)
    if compiler is None or eigen is None:
        return None
    said = hashlib.sha256(SOURCE.read_bytes() + pin.__version__.encode()).hexdigest()[:16]
    library = Path(tempfile.gettempdir()) / f"pinocchio-loop-{said}.so"
    if not library.is_file():
        print("compiling Pinocchio's loop, which takes a minute or two", file=sys.stderr)
        whole = library.with_suffix(f".{os.getpid()}")
        command = [compiler, "-std=c++17", "-O3", "-march=native", "-fPIC", "-shared", "-w"]
        command += [f"-D{name}" for name in DEFINED] + [f"-I{prefix / 'include'}", f"-I{eigen}"]
        command += [str(SOURCE), "-o", str(whole), f"-L{prefix / 'lib'}", f"-Wl,-rpath,{prefix / 'lib'}"]
        subprocess.run([*command, "-lboost_serialization"], check=True)
        whole.rename(library)
    loop = ctypes.CDLL(str(library))
    loop.load.restype = ctypes.c_void_p
    loop.run.restype = ctypes.c_double
    return loop


def calls(
    loop: ctypes.CDLL, model: Any, q: np.ndarray, v: np.ndarray, a: np.ndarray, tau: np.ndarray
) -> dict[str, Callable[[], float]]:
    """∂RNEA, ∂ABA and H⁻¹ of all states, by name; q (n, nq), the others (n, nv), in Pinocchio's order."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.bin"
        model.saveToBinary(str(path))
        robot = ctypes.c_void_p(loop.load(os.fsencode(path)))
    states = {"rnea": (q, v, a), "aba": (q, v, tau), "inverse": (q, v, a)}
    kept = {name: [np.ascontiguousarray(x, dtype=float) for x in some] for name, some in states.items()}

    def call(name: str) -> Callable[[], float]:
        pointers = [ctypes.c_void_p(x.ctypes.data) for x in kept[name]]
        return lambda: loop.run(robot, WHICH[name], *pointers, len(kept[name][0]))

    return {name: call(name) for name in WHICH}
