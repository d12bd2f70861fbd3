"""Change a mechanism: lock joints, set it on another body, attach, load, rename.

Every function returns a new mechanism and leaves the given one as it is.
"""

from .attach import attach
from .lock import lock
from .payload import add_payload
from .rename import rename
from .reroot import reroot

__all__ = ["add_payload", "attach", "lock", "rename", "reroot"]
