"""The requests of the workbench, a file for each page of docs/reference/annotate-api.md."""
