"""The formats that files have: one row of a table each, by suffix."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from ..errors import FileError, ModelError
from ..joints import Joint
from ..model.mechanism import Mechanism
from .findings import Problem


@dataclass(frozen=True)
class Format:
    """How files of one suffix are read and written.

    Attributes:
        load: (path, root, packages) to the mechanism in a file. `root`, the joint between the ground and the
            root link or None, and `packages`, directories to look for meshes in, are as given to `wt.load`.
            Raises FileError, with the line where it knows one. A file that cannot be opened, and what a
            mechanism refuses, become one by themselves.
        problems: (path, packages) to all that is wrong or odd in a file; None: the error for which `load`
            refuses it, or the warnings it gives.
        save: (m, path) writes a file, whole or not at all (`io.atomic.whole`); None: it is only read.
    """

    load: Callable[[Path, Joint | None, Iterable[Path]], Mechanism]
    problems: Callable[[Path, Iterable[Path]], list[Problem]] | None = None
    save: Callable[[Mechanism, Path], None] | None = None

    def read(self, path: Path, root: Joint | None, packages: Iterable[Path]) -> Mechanism:
        """The mechanism in a file; FileError for whatever is wrong with it."""
        try:
            return self.load(path, root, packages)
        except OSError as error:
            raise FileError(path, f"cannot be read: {error.strerror or error}") from None
        except UnicodeDecodeError as error:
            raise FileError(
                path, f"cannot be read: it is not in {error.encoding}, byte {error.start}"
            ) from None
        except ModelError as error:
            raise FileError(path, str(error)) from error

    def found(self, path: Path, packages: Iterable[Path]) -> list[Problem]:
        """All that is wrong or odd in a file; FileError if that cannot be told."""
        if self.problems is not None:
            return self.problems(path, packages)
        return [Problem(None, warning, "warning") for warning in self.read(path, None, packages).warnings]


def _ours(module: str, name: str) -> Callable[..., Any]:
    """A function of a module here, which is imported on use."""

    def function(*arguments: Any) -> Any:
        return getattr(import_module(f".{module}", __package__), name)(*arguments)

    return function


FORMATS: dict[str, Format] = {
    ".urdf": Format(_ours("urdf", "load"), _ours("urdf", "problems")),
    ".toml": Format(_ours("toml", "load"), save=_ours("toml_write", "save")),
}
"""By suffix, in small letters and with its dot. A new format is one line here."""
