"""Dynamics of closed loops, one method a file (RBDA §8.4-8.12; Critchley & Anderson)."""
