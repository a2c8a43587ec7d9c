"""Speed and memory of sstag, side by side with CRFsuite: `make bench`, `make bench-quick`.

    a case of a measurement → commands of each side → runs, a process each → figures → bench/results/*.{json,md}

The benchmark's parent process imports nothing heavy: Linux reports a child's peak memory as at least its parent's at
the time of the fork.
"""
