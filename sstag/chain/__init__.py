"""Scores of a chain of labels in, and every question about its labellings answered exactly; arrays only."""
