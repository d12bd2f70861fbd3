"""The description of a mechanism: bodies, joints, loops and everything else it is made of (RBDA ch. 4)."""
