"""The best values of parameters, judged on development data or by folds, and the model they give."""
