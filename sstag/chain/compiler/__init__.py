"""Python functions turned into machine code on the machine where they run, and kept there."""
