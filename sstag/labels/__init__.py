"""What a label column may say: marks, sets of labels, tag schemes, spans."""
