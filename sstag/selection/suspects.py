"""Labels that may be wrong: what models say of sentences that they have not learned from.

    p(given) = Σ_{y: y_a..b as given} p(y|x)      of a run of tokens a..b, exactly, by a model of the other folds

A suspect is a place where the best labels of a sentence are not those that are given: a run of tokens that a given or a
found chunk holds together, or with plain labels one in which both stay the same. Those come first whose found labels
are most probable beside the given ones, by p(found) − p(given): the probability of what is given alone (Northcutt et
al. 2021 call it self-confidence) puts long places first, whose every labelling is improbable (results/annotators). What
is given as a set is doubted only if no label of it is the best, and what is open is not doubted.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from sstag.chain.lattice import Lattice
from sstag.corpus.corpus import selected
from sstag.foundation.arrays import Bools, Floats, Ints, Longs
from sstag.foundation.errors import ConfigError, NoPathError, counted
from sstag.foundation.ranges import sentences_of
from sstag.knowledge.annotators.regions import regions, runs_in_conflict
from sstag.knowledge.annotators.votes import Votes
from sstag.labels.column import LabelledText
from sstag.labels.schemes.tagset import Tagset, tolerant_tagset
from sstag.model.model import Model
from sstag.model.runs import asked_in_runs
from sstag.training.inputs import Run, labelled_text_of, with_labels_read
from sstag.training.run import Task, trained

FEWEST_FOLDS = 2


@dataclass(frozen=True, eq=False)
class OutOfFold:
    """The answers of models of the other folds about the labels of a corpus."""

    text: LabelledText
    labels: tuple[str, ...]  # those of the text
    found: Ints  # (T,) the best label of each token, an index into `labels`
    given: Floats  # (T,) the probability of what is given, by itself
    best: Floats  # (T,) that of the best label
    places: Longs  # (R, 2) the runs of tokens where the best labels are not what is given
    of_given: Floats  # (R,) the probability of what is given there, all of it
    of_best: Floats  # (R,) that of the best labels there
    shares: Floats | None = None  # (T, L) p_t(y|x) of every label, if they are kept


def out_of_fold(
    task: Task, folds: int, run: Run, tell: Callable[[str], None] = lambda text: None, keep: bool = False
) -> OutOfFold:
    """The answers of the task's method about each labelled sentence when it has learned from the other folds only."""
    text = labelled_text_of(with_labels_read(task.inputs), "looking for wrong labels")
    corpus = text.corpus
    if folds < FEWEST_FOLDS or corpus.sentences < folds:
        raise ConfigError(
            f"{folds} folds of {counted(corpus.sentences, 'sentence')}: at least {FEWEST_FOLDS} are needed"
        )
    fold_of = np.empty(corpus.sentences, np.int64)
    fold_of[np.random.default_rng(task.seed).permutation(corpus.sentences)] = np.arange(corpus.sentences) % folds
    tokens, labels = corpus.tokens, text.sets.labels
    result = OutOfFold(
        text,
        labels,
        found=np.zeros(tokens, np.int32),
        given=np.zeros(tokens),
        best=np.zeros(tokens),
        places=np.zeros((0, 2), np.int64),
        of_given=np.zeros(0),
        of_best=np.zeros(0),
        shares=np.zeros((tokens, len(labels))) if keep else None,
    )
    parts: list[tuple[Longs, Floats, Floats]] = []
    for fold in range(folds):
        tell(f"fold {fold + 1} of {folds}: training")
        chosen = fold_of == fold
        inputs = replace(task.inputs, labelled=selected(corpus, ~chosen), reading=None, named=labels)
        if inputs.template.predicted and inputs.unlabelled is None:
            inputs = replace(inputs, unlabelled=selected(corpus, chosen))  # the text at hand is all raw text there is
        model = trained(replace(task, inputs=inputs), run)
        tell(f"fold {fold + 1} of {folds}: asking")
        parts.append(_asked(model, result, np.flatnonzero(chosen), run))
    places, given, best = (np.concatenate(each) for each in zip(*parts, strict=True))
    order = np.lexsort((places[:, 0], given - best))
    return replace(result, places=places[order], of_given=given[order], of_best=best[order])


def _asked(model: Model, into: OutOfFold, sentences: Longs, run: Run) -> tuple[Longs, Floats, Floats]:
    """The places of some sentences, which the model has not seen, and their probabilities; fills in their tokens."""
    text, offsets = into.text, into.text.corpus.offsets
    chosen = np.zeros(len(offsets) - 1, bool)
    chosen[sentences] = True
    tokens = np.flatnonzero(np.repeat(chosen, np.diff(offsets)))
    part = selected(text.corpus, chosen)
    number = {name: place for place, name in enumerate(into.labels)}
    to_text = np.array([number.get(name, -1) for name in model.labels], np.int64)
    known = to_text >= 0
    allowed = np.zeros((len(text.sets.allowed_labels), len(model.labels)), bool)  # by the values of the column
    allowed[:, known] = text.sets.allowed[:, to_text[known]]
    allowed[text.sets.unknown] = True
    tags = tolerant_tagset(model.labels, model.scheme)

    def ask(first: int, lattice: Lattice) -> tuple[int, Ints, Floats, Longs, Floats, Floats]:
        mine = tokens[first : first + len(lattice.nodes)]
        codes = text.codes[mine]
        best = lattice.viterbi()[0]
        places = _places(tags, codes, allowed, text.sets.unknown, best, lattice.potentials.offsets)
        exactly = np.zeros(allowed.shape[1:] * 2, bool)
        np.fill_diagonal(exactly, True)
        of_given, of_best = (_probabilities(lattice, places, sets) for sets in (allowed[codes], exactly[best]))
        return first, best, lattice.nodes.copy(), places + first, of_given, of_best

    found: list[tuple[Longs, Floats, Floats]] = []
    for first, best, nodes, places, of_given, of_best in asked_in_runs(model, part, run.over, ask):
        mine = tokens[first : first + len(best)]
        into.found[mine] = to_text[best]
        into.given[mine] = np.minimum((nodes * allowed[text.codes[mine]]).sum(axis=1), 1.0)
        into.best[mine] = np.minimum(nodes[np.arange(len(best)), best], 1.0)
        if into.shares is not None:
            into.shares[np.ix_(mine, to_text[known])] = nodes[:, known]
        found.append((tokens[places] if len(places) else places, of_given, of_best))
    whole = [np.concatenate(each) for each in zip(*found, strict=True)]
    return whole[0], whole[1], whole[2]


def _places(tags: Tagset, codes: Ints, allowed: Bools, unknown: Bools, best: Ints, offsets: Longs) -> Longs:
    """The runs of tokens whose best labels are not among what is given: first and last token."""  # (R, 2)
    count = len(tags.labels)
    sets = np.concatenate([np.ones((1, count), bool), allowed, np.eye(count, dtype=bool)])
    given = np.where(unknown[codes], 0, codes + 1)
    votes = Votes(("given", "found"), tags, offsets, sets, np.stack([given, best + 1 + len(allowed)]).astype(np.int32))
    found: Longs = np.array([(first, stop - 1) for first, stop in runs_in_conflict(votes, regions(votes))], np.int64)
    found = found.reshape(-1, 2)
    if tags.scheme != "plain":
        return found
    token = found[:, 0]  # each is a place by itself
    goes_on = np.zeros(len(found), bool)
    before = token[1:] - 1
    goes_on[1:] = (token[:-1] == before) & (codes[before] == codes[token[1:]]) & (best[before] == best[token[1:]])
    goes_on &= ~np.isin(token, offsets)
    first = np.flatnonzero(~goes_on)
    last = np.append(first[1:], len(found))[: len(first)] - 1
    return np.stack([token[first], token[last]], axis=1) if len(first) else found


def _probabilities(lattice: Lattice, places: Longs, sets: Bools) -> Floats:
    """The probability that all tokens of a place have labels of their sets, for each place."""  # (R,)
    offsets = lattice.potentials.offsets
    sentence = sentences_of(offsets, places[:, 0])
    rank = np.arange(len(places)) - np.searchsorted(sentence, sentence)  # of a place among those of its sentence
    result = np.zeros(len(places))
    for turn in range(int(rank.max(initial=-1)) + 1):
        now = np.flatnonzero(rank == turn)
        allowed = np.ones(sets.shape, bool)
        possible = np.ones(len(places), bool)
        for place in now.tolist():
            inside = slice(places[place, 0], places[place, 1] + 1)
            possible[place] = sets[inside].any(axis=1).all()
            if possible[place]:
                allowed[inside] = sets[inside]
        try:
            log_z = lattice.restricted(allowed).log_z
        except NoPathError:  # the weights of a model may rule out what is given: then each place is asked alone
            result[now] = [_alone(lattice, places[place], sets) if possible[place] else 0.0 for place in now.tolist()]
            continue
        result[now] = np.where(possible[now], np.exp(log_z - lattice.log_z)[sentence[now]], 0.0)
    return np.minimum(result, 1.0)


def _alone(lattice: Lattice, place: Longs, sets: Bools) -> float:
    """The probability of one place; 0 if no labelling of its sentence is possible with it."""
    allowed = np.ones(sets.shape, bool)
    inside = slice(place[0], place[1] + 1)
    allowed[inside] = sets[inside]
    sentence = int(sentences_of(lattice.potentials.offsets, place[:1])[0])
    try:
        return float(np.exp(lattice.restricted(allowed).log_z - lattice.log_z)[sentence])
    except NoPathError:
        return 0.0


def doubtful_tokens(found: OutOfFold) -> Longs:
    """The tokens whose best label is not what is given, those first that are most probable beside it."""
    text = found.text
    sets = text.sets.allowed
    wrong = ~sets[text.codes, found.found] & ~text.sets.unknown[text.codes]
    tokens = np.flatnonzero(wrong)
    return tokens[np.lexsort((tokens, (found.given - found.best)[tokens]))]


def with_doubted_open(found: OutOfFold, below: float) -> list[tuple[int, tuple[str, ...] | None]]:
    """The tokens to open, each with the labels that stay: those given and found, or None for any label.

    A place is opened if what is given there is less probable than `below`; given and found labels stay if they are at
    least so probable together.
    """
    text, changes = found.text, []
    for (first, last), given, best in zip(found.places.tolist(), found.of_given, found.of_best, strict=True):
        if given >= below:
            continue
        for token in range(first, last + 1):
            said = text.sets.allowed_labels[text.codes[token]]
            if text.sets.unknown[text.codes[token]] or (len(said) == 1 and said[0] == found.found[token]):
                continue
            both = dict.fromkeys([*said, int(found.found[token])])
            changes.append((token, tuple(found.labels[y] for y in both) if given + best >= below else None))
    return changes
