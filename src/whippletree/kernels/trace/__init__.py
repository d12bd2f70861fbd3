"""Record what a function computes: operations, nodes, traced scalars, programs."""
