"""Exact answers about the labellings of a chain, computed from its scores: arrays in, arrays out."""
