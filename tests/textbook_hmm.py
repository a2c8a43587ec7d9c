"""The hidden Markov model of textbooks, written down with dictionaries and every path of labels."""

from collections import Counter
from itertools import pairwise, product

LABELS = ("X", "Y", "Z")
TINY = [
    [("a", "X"), ("b", "Y"), ("a", "X")],
    [("c", "Z"), ("b", "X")],
    [("a", "Y"), ("d", "Y"), ("d", "Z"), ("e", "X")],
]


class Textbook:
    """Counts of decided tokens; a word seen once is counted once more as unknown."""

    def __init__(self, sentences, delta=0.1):
        tokens = [token for sentence in sentences for token in sentence]
        decided = [(word, label) for word, label in tokens if label in LABELS]
        times = Counter(word for word, _ in decided)
        self.undecided = {word for word, _ in tokens} - set(times)
        emitted = Counter(decided) + Counter((None, label) for word, label in decided if times[word] == 1)
        self.words = [*sorted(times), None]
        self.emission = {
            (word, y): (emitted[word, y] + delta) / sum(emitted[other, y] + delta for other in self.words)
            for word, y in product(self.words, LABELS)
        }
        steps: Counter[tuple[str | None, str | None]] = Counter()
        for sentence in sentences:
            steps.update(pairwise([None, *(label for _, label in sentence), None]))
        after = {None: list(LABELS)} | {y: [*LABELS, None] for y in LABELS}
        self.step = {
            (a, b): (steps[a, b] + delta) / sum(steps[a, other] + delta for other in after[a])
            for a in after
            for b in after[a]
        }

    def emits(self, word, y):
        if word in self.words:
            return self.emission[word, y]
        return self.emission[None, y] / (len(self.undecided) + 1)

    def joint(self, words, labels):
        p = self.step[None, labels[0]] * self.step[labels[-1], None]
        for a, b in pairwise(labels):
            p *= self.step[a, b]
        for word, y in zip(words, labels, strict=True):
            p *= self.emits(word, y)
        return p

    def probability(self, words):
        return sum(self.joint(words, labels) for labels in product(LABELS, repeat=len(words)))

    def viterbi(self, words):
        best = {y: (self.step[None, y] * self.emits(words[0], y), (y,)) for y in LABELS}
        for word in words[1:]:
            best = {
                y: max((p * self.step[path[-1], y] * self.emits(word, y), (*path, y)) for p, path in best.values())
                for y in LABELS
            }
        return max((p * self.step[path[-1], None], path) for p, path in best.values())
