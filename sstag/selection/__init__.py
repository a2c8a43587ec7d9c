"""Choosing what to annotate next, the probability of sentences, and simulated annotation."""
