"""The scales of the weights of sentences, as plain data: help and configurations need no arrays."""

SCALES = ("mean1", "natural")
