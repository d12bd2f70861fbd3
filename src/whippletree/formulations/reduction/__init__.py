"""Recursive coordinate reduction as Critchley & Anderson print it: RCR (§3), ACS (§4) and GCL (§5).

A generalized recursive coordinate reduction method for multibody system dynamics, in its symbols.
`loops.grcr` is this library's own form of it, for every mechanism.
"""

from typing import TYPE_CHECKING

from ...checks.checking import checked
from .acs import acs as acs
from .acs import acs_dependents as acs_dependents
from .applicability import ACS, OPENED, RCR
from .dependents import Dependents as Dependents
from .dependents import dependents_quality as dependents_quality
from .gcl import gcl as gcl
from .gcl_choice import AdjustedLoop as AdjustedLoop
from .gcl_choice import adjusted_loops as adjusted_loops
from .gcl_choice import gcl_dependents as gcl_dependents
from .gcl_choice import gcl_quality as gcl_quality
from .naming import named_dependents as named_dependents
from .rcr import rcr as rcr
from .rcr import rcr_dependents as rcr_dependents
from .reduced_reactions import reduced_reactions as reduced_reactions

if not TYPE_CHECKING:  # what is checked has the type of what is not
    rcr = checked(rcr, *RCR, frame_free=True)
    rcr_dependents = checked(rcr_dependents, *RCR)
    acs = checked(acs, *ACS, frame_free=True)
    acs_dependents = checked(acs_dependents, *ACS)
    named_dependents = checked(named_dependents, *ACS)
    dependents_quality = checked(dependents_quality, *OPENED, frame_free=True)
    gcl = checked(gcl, *OPENED, frame_free=True)
    gcl_dependents = checked(gcl_dependents, *OPENED)
    gcl_quality = checked(gcl_quality, *OPENED, frame_free=True)
    adjusted_loops = checked(adjusted_loops, *OPENED)
    reduced_reactions = checked(reduced_reactions, *OPENED)
