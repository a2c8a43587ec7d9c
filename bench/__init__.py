"""Speed and memory of sstag, side by side with CRFsuite: `make bench`, `make bench-quick`.

    a case of a measurement → sides → runs, each a process of its own → figures → bench/results/*.{json,md}

The process that starts the others stays small: what it has in memory would count as theirs.
"""
