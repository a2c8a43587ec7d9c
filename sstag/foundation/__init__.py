"""Errors, array types, files, settings, lists and threads, for all other packages; none of it is about sentences."""
