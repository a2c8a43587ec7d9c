"""sstag as an estimator of scikit-learn: the class, its arguments, the sentences that it takes, and scorers."""
