"""The workbench: a page for annotating on this machine, over one store for each project (see ARCHITECTURE)."""
