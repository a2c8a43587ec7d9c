"""`python -m sstag` is the `sstag` command."""

from sstag.interfaces.cli import main

main()
