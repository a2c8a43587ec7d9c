"""The doors, which are the shell and Python: nothing else prints, exits or serves."""
