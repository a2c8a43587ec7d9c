"""What to annotate next, how probable sentences are, and what an annotation would have brought."""
