"""The places of a list's entries in a corpus.

From left to right the longest entry that begins at a token counts, without overlaps and within sentences.
"""

from collections.abc import Sequence

import numpy as np

from sstag.features.lexicon import Lexicon
from sstag.foundation.arrays import Ints, Longs

PLACES = ("S", "B", "I", "E")  # a token alone in its entry, or the first, an inner, the last one


def lexicon_places(entries: Lexicon, words: Sequence[str], codes: Ints, offsets: Longs) -> Ints:
    """An index into PLACES for each token, or -1 outside every entry; its word is `words[code]`, none for code -1."""
    number: dict[str, int] = {}
    trie: dict[tuple[int, int], int] = {}  # (node, word) → node; node 0 is the root
    final = [False]
    for entry in entries:
        node = 0
        for word in entry:
            step = (node, number.setdefault(word, len(number)))
            if step not in trie:
                trie[step] = len(final)
                final.append(False)
            node = trie[step]
        final[node] = True
    steps = np.array([node * len(number) + word for node, word in trie], np.int64)
    order = np.argsort(steps)
    steps, targets = steps[order], np.array(list(trie.values()), np.int64)[order]
    is_final = np.array(final)

    # All tokens walk down the trie together, each as far as it goes.
    known = np.array([*(number.get(word, -1) for word in words), -1], np.int64)[codes]
    ends = np.repeat(offsets[1:], np.diff(offsets))
    longest = np.zeros(len(codes), np.int64)
    begins, nodes = np.flatnonzero(known >= 0), 0
    depth = 0
    while len(begins):
        wanted = nodes * len(number) + known[begins + depth]
        found = np.minimum(np.searchsorted(steps, wanted), len(steps) - 1)
        alive = steps[found] == wanted
        begins, nodes = begins[alive], targets[found[alive]]
        depth += 1
        longest[begins[is_final[nodes]]] = depth
        more = (begins + depth < ends[begins]) & (known[np.minimum(begins + depth, len(known) - 1)] >= 0)
        begins, nodes = begins[more], nodes[more]

    result = np.full(len(codes), -1, np.int32)
    free = 0
    for begin, length in zip(np.flatnonzero(longest).tolist(), longest[longest > 0].tolist(), strict=True):
        if begin < free:
            continue
        free = begin + length
        result[begin:free] = PLACES.index("I")
        result[begin], result[free - 1] = PLACES.index("B"), PLACES.index("E")
        if length == 1:
            result[begin] = PLACES.index("S")
    return result
