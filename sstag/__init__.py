"""sstag: sequence tagging in CoNLL format when labels are scarce."""

from importlib.metadata import version

__version__ = version("sstag")
