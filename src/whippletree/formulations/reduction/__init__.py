"""Recursive coordinate reduction as Critchley & Anderson print it: RCR (§3), ACS (§4) and GCL (§5).

A generalized recursive coordinate reduction method for multibody system dynamics, in its symbols.
`loops.grcr` is this library's own form of it, for every mechanism.
"""

from ...checks.checking import checked
from .acs import acs, acs_dependents
from .applicability import ACS, OPENED, RCR
from .dependents import Dependents as Dependents
from .dependents import dependents_quality
from .gcl import gcl
from .gcl_choice import AdjustedLoop as AdjustedLoop
from .gcl_choice import adjusted_loops, gcl_dependents, gcl_quality
from .naming import named_dependents
from .rcr import rcr, rcr_dependents
from .reduced_reactions import reduced_reactions

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
