"""Simulated annotation: a labelled pool stands in for the annotator, and strategies choose what it is asked.

`annotator.py` tells labels; `rounds.py` chooses, asks and trains, again and again; `variant.py` reads how to choose.
"""
