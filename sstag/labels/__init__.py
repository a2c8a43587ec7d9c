"""Label columns: marks, sets of labels, tag schemes, spans."""
