"""Tests that need Starlette and uvicorn: `make test-web`."""
