"""The doors: the shell and Python. Nothing else prints, exits or serves."""
