"""Control by exact derivatives: regulators, and motions of least cost."""

from .ilqr import OptimalMotion as OptimalMotion
from .ilqr import ilqr as ilqr
from .lqr import Regulator as Regulator
from .lqr import lqr as lqr
