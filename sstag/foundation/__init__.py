"""Errors, array types, bytes, settings, lists and threads: what every other package needs, and knows no sentence."""
