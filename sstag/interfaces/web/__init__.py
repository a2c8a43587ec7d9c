"""sstag on the web of this machine: an engine for other annotation tools, on Starlette and uvicorn."""

from sstag.foundation.errors import ConfigError, installing


def check_stack() -> None:
    """An error that says how to install the web stack, if it is not there."""
    try:
        import starlette
        import uvicorn  # noqa: F401
    except ImportError as error:
        raise ConfigError(f"this needs Starlette and uvicorn: {installing('annotate')}") from error
    del starlette
