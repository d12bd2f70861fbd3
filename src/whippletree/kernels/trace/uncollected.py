"""Work on millions of small objects that stay, undisturbed by the search for garbage among them."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def uncollected() -> Iterator[None]:
    """No search for reference cycles within: what a recording makes has none, and looking takes longer.

    Objects without cycles go when their last use ends, as always.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            if not gc.get_freeze_count():
                # All that was made counts as old now; as young, it would be looked through at once.
                gc.freeze()
                gc.unfreeze()
            gc.enable()
