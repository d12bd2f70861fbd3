"""Contact and impact (RBDA ch. 11): where shapes touch, which forces and impulses keep them apart.

As in `dynamics`, the functions here check their arguments, and those in the modules below do not.
"""

from typing import TYPE_CHECKING

from ..checks.checking import checked
from ..loops.methods.choice_faults import pivots_fault
from . import contact_doors
from .compliant.compliant_contact import Compliant as Compliant
from .compliant.compliant_contact import PatchState as PatchState
from .compliant.compliant_contact import Pushed as Pushed
from .compliant.compliant_contact import compliant_forces as compliant_forces
from .compliant.compliant_contact import patches_at_rest as patches_at_rest
from .compliant.explicit_limit import patch_restitution as patch_restitution
from .compliant.explicit_limit import step_limits as step_limits
from .compliant.materials import FRICTION as FRICTION
from .compliant.materials import MATERIALS as MATERIALS
from .compliant.materials import PairNumbers as PairNumbers
from .compliant.materials import contact_numbers as contact_numbers
from .compliant.patch_law import PatchLaw as PatchLaw
from .compliant.patches import HuntCrossley as HuntCrossley
from .compliant.patches import KelvinVoigt as KelvinVoigt
from .compliant.patches import TwoSurfaces as TwoSurfaces
from .geometry.contact_kinematics import ContactFrames as ContactFrames
from .geometry.contact_kinematics import contact_bias as contact_bias
from .geometry.contact_kinematics import contact_frames as contact_frames
from .geometry.contact_kinematics import contact_jacobian as contact_jacobian
from .geometry.contact_kinematics import contact_velocity as contact_velocity
from .geometry.contact_kinematics import gaps as gaps
from .geometry.contact_pairs import Candidate as Candidate
from .geometry.contact_pairs import all_contacts as all_contacts
from .geometry.contact_pairs import candidates as candidates
from .geometry.contact_states import ContactState as ContactState
from .geometry.contact_states import Overlap as Overlap
from .geometry.contact_states import contact_states as contact_states
from .geometry.contact_states import overlaps as overlaps
from .geometry.convex_hull import convex_hull as convex_hull
from .geometry.minimal_set import minimal_contacts as minimal_contacts
from .geometry.pair_table import PAIRS as PAIRS
from .geometry.wrenches import contact_wrenches as contact_wrenches
from .impulses.impacts import IMPACT_LAWS as IMPACT_LAWS
from .impulses.impacts import Impact as Impact
from .impulses.impacts import impact as impact
from .impulses.joint_impulses import handle_jump as handle_jump
from .impulses.joint_impulses import velocity_jump as velocity_jump
from .impulses.two_bodies import sticking_impulse as sticking_impulse
from .impulses.two_bodies import two_body_impulse as two_body_impulse
from .problems.active_set import active_contacts as active_contacts
from .problems.active_set import current_contacts as current_contacts
from .problems.body_problem import body_problem as body_problem
from .problems.complementarity import ContactForces as ContactForces
from .problems.complementarity import Unsolvable as Unsolvable
from .problems.contact_forces import RigidContact as RigidContact
from .problems.contact_forces import contact_forces as contact_forces
from .problems.contact_problem import ContactProblem as ContactProblem
from .problems.contact_problem import contact_problem as contact_problem
from .problems.coulomb import coulomb as coulomb
from .problems.force_form import force_form as force_form
from .problems.gauss_form import gauss_form as gauss_form
from .problems.least_distance import least_distance as least_distance
from .problems.lemke import lemke as lemke
from .problems.natural_map import natural_residual as natural_residual
from .problems.problem_doors import checked_problem
from .problems.push_out import push_out as push_out
from .sweeps.moreau import Rigid as Rigid

if not TYPE_CHECKING:  # what is checked has the type of what is not
    candidates = checked(candidates)
    all_contacts = checked(all_contacts, given=contact_doors.names_of_bodies)
    gaps = checked(gaps)
    contact_frames = checked(contact_frames)
    contact_jacobian = checked(contact_jacobian)
    contact_velocity = checked(contact_velocity)
    contact_bias = checked(contact_bias)
    contact_states = checked(contact_states)
    overlaps = checked(overlaps, given=contact_doors.tolerance)
    minimal_contacts = checked(minimal_contacts, given=contact_doors.tolerance)
    contact_problem = checked(contact_problem, given=pivots_fault)
    contact_forces = checked(contact_forces, real=True)
    gauss_form = checked_problem(gauss_form)
    least_distance = checked_problem(least_distance)
    force_form = checked_problem(force_form)
    lemke = checked_problem(lemke)
    coulomb = checked_problem(coulomb)
    contact_wrenches = checked(contact_wrenches, given=contact_doors.forces)
    compliant_forces = checked(compliant_forces, given=contact_doors.laws)
    patches_at_rest = checked(patches_at_rest)
    step_limits = checked(step_limits, given=contact_doors.laws)
    natural_residual = checked_problem(natural_residual)
    active_contacts = checked_problem(active_contacts)
    current_contacts = checked_problem(current_contacts)
    push_out = checked(push_out)
    velocity_jump = checked(velocity_jump, real=True)
    handle_jump = checked(handle_jump, real=True)
    impact = checked(impact, real=True)
