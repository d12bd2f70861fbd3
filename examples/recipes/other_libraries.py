"""
JAX, PyTorch, CasADi
====================

A kernel becomes a function of another library, with exact derivatives: a layer of a network, a constraint
of an optimization.
"""

import casadi as ca
import jax
import jax.numpy as jnp
import numpy as np

import whippletree as wt

jax.config.update("jax_enable_x64", True)
m = wt.examples.load("double-pendulum")

# %%
# **JAX**: under jit, vmap and grad.

aba = wt.interop.jax(wt.compile(wt.aba, m))
gradient = jax.jit(jax.grad(lambda q: jnp.sum(aba(q, jnp.zeros(2), jnp.zeros(2)) ** 2)))
print(gradient(jnp.array([0.3, 0.5])))

# %%
# **CasADi**: an expression to optimize with.

forward = wt.interop.casadi(wt.compile(wt.aba, m))
q = ca.MX.sym("q", 2)
rest = ca.Function("rest", [q], [ca.jacobian(forward(q, np.zeros(2), np.zeros(2)), q)])
print(rest([0.3, 0.5]))

# %%
# **PyTorch**: ``wt.interop.torch(k)`` is a function of tensors, batches included, through which gradients go.
