"""Simulated annotators who answer through the API of a running workbench (`sstag annotate`), as any program could.

The right answers are those of a labelled corpus (`gold.py`), and each action takes the seconds that `effort.py` says.
"""
