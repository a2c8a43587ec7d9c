"""Sentences and knowledge in, a model out."""
