"""Tests that need Dask (`make test-cluster`)."""
