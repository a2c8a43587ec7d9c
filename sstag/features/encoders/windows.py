"""Windows of long sentences: runs of words that overlap, and for each word the window that shows most around it."""

from dataclasses import dataclass
from itertools import accumulate, pairwise


@dataclass(frozen=True)
class Window:
    """Some words of a sentence, and which of them take their vectors from here."""

    words: slice
    owned: slice


def windows(counts: list[int], room: int, stride: int) -> list[Window]:
    """The windows of a sentence whose words have so many pieces, none more than `room`.

    The next window begins `stride` pieces after the one before, or with the next word. Where two overlap, a word
    belongs to the one in which it is farther from the cut: the line is drawn in the middle of what they share.
    """
    ends = [0, *accumulate(counts)]
    if ends[-1] <= room:
        return [Window(slice(0, len(counts)), slice(0, len(counts)))]
    found: list[slice] = []
    begin = 0
    while True:
        end = begin + 1
        while end < len(counts) and ends[end + 1] - ends[begin] <= room:
            end += 1
        found.append(slice(begin, end))
        if end == len(counts):
            break
        after = begin + 1
        while after < end and ends[after] - ends[begin] < stride:
            after += 1
        begin = after
    lines = [0]
    for one, other in pairwise(found):
        middle = (ends[one.stop] + ends[other.start]) / 2
        line = other.start
        while line < one.stop and ends[line + 1] <= middle:
            line += 1
        lines.append(max(line, lines[-1]))
    lines.append(len(counts))
    return [Window(one, slice(lines[i], lines[i + 1])) for i, one in enumerate(found)]
