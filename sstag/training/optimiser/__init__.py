"""The best weights of a function that tells its value and gradient: L-BFGS, OWL-QN, and their line search."""
