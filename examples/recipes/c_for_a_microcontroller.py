"""
C for a microcontroller
=======================

One file of C99 that includes math.h and nothing else, allocates nothing and does not branch: every call
takes the same time.
"""

import whippletree as wt

m = wt.examples.load("furuta-pendulum")
k = wt.compile(wt.bias_force, m)
k.name = "furuta_bias"
print(k.source("c").partition("#ifdef")[0])  # behind it: a test of its own, with main()

# %%
# The same on the command line: ``whippletree export furuta-pendulum --c --function rnea --out rnea.c``.
# Controllers of your own go the same way, as any function that compiles does.
