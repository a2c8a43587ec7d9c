"""The documents of sstag, and in `tools` what makes parts of them."""
