"""`python -m sstag` is the `sstag` command."""

from sstag.cli import main

main()
