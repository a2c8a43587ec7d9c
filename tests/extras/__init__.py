"""Tests that need an extra: `make test-encoders` and `make test-transformers` install it and run them."""
