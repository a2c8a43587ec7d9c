"""Attacks: commands with files, names and machines that mean no good, and what must hold all the same.

Whatever comes in, a command ends with its work done or with a clear message, within bounds of memory and time, and
what stood in its output before is there as it was, or the new whole.
"""
