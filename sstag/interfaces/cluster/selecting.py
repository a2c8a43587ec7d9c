"""A choice of what to annotate next, from a pool that the workers of a cluster read and score part by part.

Workers write numbers beside the output: for each candidate its score, and of each sentence its length. The client reads
those, chooses among all of them as on one machine, and asks the workers for the text of the few that are chosen.
"""

import os
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import lru_cache, reduce
from pathlib import Path

import numpy as np

from sstag.corpus.column_names import word_place
from sstag.corpus.corpus import Corpus, Sentence, corpus_of, without_columns
from sstag.corpus.file_parts import PART, FilePart, lines_of_file, part_blocks, parts_of_file
from sstag.corpus.fingerprints import value_hashes
from sstag.corpus.reading import joined
from sstag.corpus.text.sentence_names import SentenceNames
from sstag.corpus.token_lines import SECOND
from sstag.corpus.volumes import check_columns, head_of
from sstag.features.lexicon import Lexicon
from sstag.features.meaning import meaning_in
from sstag.features.sentence_vectors import Means, SentenceVectors, means_of, places_of, refuse_large, standardised
from sstag.features.template import Template
from sstag.foundation.arrays import Array, Bools, Longs, Singles
from sstag.foundation.errors import DataError
from sstag.foundation.files import display_name, output
from sstag.foundation.parallel import Over, one_by_one
from sstag.foundation.ranges import offsets_of
from sstag.interfaces.cluster.common import Cluster
from sstag.interfaces.cluster.density import DensityWork, opened
from sstag.interfaces.cluster.jobs import Heard, each_done
from sstag.interfaces.cluster.parts import LayoutOf, PartJob, columns_of, copy_into, has_comments, refuse_absent
from sstag.model.model import Model
from sstag.model.second_look import added_up, in_context, predicted_counts, save_counts, saved_counts_together
from sstag.selection.budget import Basket
from sstag.selection.candidates import Candidates, Earlier, Pool, asked_before, template_of_meaning
from sstag.selection.choosing import Choice, Scored, Wish, check, check_known, field_of, random_of, scored, taken
from sstag.selection.density import ORDER, SMOOTHING
from sstag.selection.density.file import columns_counted
from sstag.selection.density.ngrams import NGrams
from sstag.selection.pool_labels import Held, held, refuse_to_lose
from sstag.selection.sheet import Origin
from sstag.selection.strategies import CHANCE, MEANING, STRATEGIES, WORDS, looks_at_density


@dataclass(frozen=True)
class Known:
    """Whatever says something of the sentences of a pool; files are those that workers reach."""

    label: str
    mark: str
    model: Model | None = None
    terms: Lexicon | None = None
    density: str | None = None
    meaning: str | None = None
    may_lose: bool = False  # whether the last column may hold something that nobody called labels


@dataclass(frozen=True)
class _Asked:
    """Whatever all parts of a pool are asked."""

    known: Known
    wish: Wish
    earlier: str  # the file of what was asked before
    words: str | None  # the density with the counts of all words, if the choice looks at meaning


@dataclass(frozen=True)
class _Found:
    """A part of a pool, of which the arrays are in files."""

    columns: tuple[str, ...] | None  # None: no sentence
    sentences: int
    lines: int
    of: int  # candidates, those that were asked before included
    held: Held | None


@dataclass
class _Written:
    """The arrays of a part as they grow, by their names."""

    arrays: dict[str, list[Array]] = field(default_factory=lambda: defaultdict(list))

    def add(self, **named: Array) -> None:
        for name, array in named.items():
            self.arrays[name].append(array)

    def save(self, target: str) -> None:
        with output(target) as file:
            np.savez(file, **{name: np.concatenate(own) for name, own in self.arrays.items()})  # type: ignore[arg-type]


def chosen_by_workers(
    cluster: Cluster,
    folder: Path,
    paths: Sequence[str],
    layout_of: LayoutOf,
    known: Known,
    wish: Wish,
    earlier: Callable[[Corpus], list[Corpus]],
    over: Over,
    tell: Callable[[str], None],
) -> tuple[Corpus, Choice, Callable[[int], Origin]]:
    """The text of what is chosen from some files, in the order of the pool, the choice, and where sentences are from.

    `earlier` reads what was asked before, given the columns of the pool.
    """
    check(wish)
    check_known(wish, known.model is not None, known.terms is not None)
    pool = _Pool(cluster, folder, paths, layout_of, tell)
    density = known.density
    columns = pool.columns_of_first()
    if looks_at_density(wish.strategy, wish.by) and density is None:
        density = pool.counted("density", [*columns_counted(columns, None, known.label)], ORDER, SMOOTHING)
    words = pool.counted("words", [columns[word_place(columns)]], 1, 1.0) if wish.looks_at_meaning else None
    before, at = earlier(head_of(paths, [columns], defaultdict(list), [""])), str(folder / "earlier")
    _save_earlier(asked_before(before, known.label, known.mark), at)
    asked = _Asked(replace(known, density=density), wish, at, words)
    pool.score(asked)
    if known.may_lose:
        all_held = [one.held for one in pool.found if one.held]
        together = reduce(Held.with_more, all_held) if all_held else None
        refuse_to_lose(together, known.label, pool.columns, known.model is not None, pool.name)
    choice = pool.choice(asked, before, over)
    return pool.text_of(choice, asked, over)


def having_read_pool(
    cluster: Cluster,
    folder: Path,
    paths: Sequence[str],
    layout_of: LayoutOf,
    model: Model,
    tell: Callable[[str], None],
) -> Model:
    """The model that has read a pool once, whose parts the workers count."""
    jobs = _Pool(cluster, folder, paths, layout_of, tell).jobs
    each_done(cluster, _counted, jobs, model, lambda text: tell(f"first look: {text}"))
    return in_context(model, saved_counts_together([job.target for job in jobs], model))


class _Pool:
    """The parts of some files, and what is known of each."""

    def __init__(
        self, cluster: Cluster, folder: Path, paths: Sequence[str], layout_of: LayoutOf, tell: Callable[[str], None]
    ) -> None:
        self.cluster, self.folder, self.paths, self.layout_of, self.tell = cluster, folder, paths, layout_of, tell
        parts = [(file, part) for file, path in enumerate(paths) for part in parts_of_file(path, layout_of, PART)]
        self.file = np.array([file for file, _ in parts])  # of each part
        self.jobs = [PartJob(part, layout_of(part.path), str(folder / f"{n:06}")) for n, (_, part) in enumerate(parts)]
        self.name = ", ".join(map(display_name, paths))
        self.found: list[_Found] = []
        self.columns: tuple[str, ...] = ()
        self.sentences: Longs = np.zeros(1, np.int64)  # before each part, and of all
        self.filled: Bools = np.zeros(0, bool)  # which parts have a sentence
        self.offsets: Longs = np.zeros(1, np.int64)  # of all sentences

    def columns_of_first(self) -> tuple[str, ...]:
        """The columns of the first file that are read."""
        layout = self.layout_of(self.paths[0])
        return tuple(name for name in columns_of(self.paths[0], layout) if name not in layout.beside)

    def counted(self, name: str, columns: list[str], order: int, smoothing: float) -> str:
        """The file of n-grams of the pool."""
        own = self.folder / name
        own.mkdir()
        work = DensityWork(self.cluster, own, self.layout_of, self.tell)
        return work.counted(self.paths, columns, "ngram", order, smoothing)

    def score(self, asked: _Asked) -> None:
        """Lets the workers write the numbers of all parts."""
        self.found = each_done(self.cluster, _scored, self.jobs, asked, self.tell)
        of_files = []
        for number, path in enumerate(self.paths):
            own = [one.columns for one, file in zip(self.found, self.file, strict=True) if file == number]
            there = next((columns for columns in own if columns), None)
            if there is None:
                raise DataError("no sentence in it", display_name(path))
            of_files.append(there)
            check_columns(self.paths, of_files, asked.known.label)
        self.columns = tuple(name for name in of_files[0] if all(name in one for one in of_files))
        self.sentences = offsets_of(np.array([one.sentences for one in self.found], np.int64))
        self.filled = np.array([one.columns is not None for one in self.found])

    def choice(self, asked: _Asked, before: Sequence[Corpus], over: Over) -> Choice:
        """The candidates that are chosen; tokens are counted through the pool."""
        wish, rng = asked.wish, random_of(asked.wish)
        self.offsets = offsets = offsets_of(self._every("lengths").astype(np.int64))
        counts = [len(self._array(job, "sentence")) for job in self._filled()]
        sentence = self._every("sentence") + np.repeat(self.sentences[:-1][self.filled], counts)
        begin = offsets[sentence]
        first, stop = (begin + self._every(name) for name in ("first", "stop"))
        every = Candidates(first, stop, sentence, not wish.spans, None, self._every("sizes").astype(np.int64))
        scores = rng.random(len(every)) if wish.strategy == CHANCE else self._every("scores")
        outline = Corpus(self.name, (), (), (), offsets, np.zeros(0, np.int64))
        rarity = self._word_numbers() if wish.alike is not None and wish.alike_by == WORDS else None
        meaning = points = None
        if asked.words:
            how, vectors = self._vectors(asked)
            meaning = vectors[sentence]
            if wish.spread:
                points = field_of(how, meaning, wish, scores, before, over)
        basket = Basket(outline, every, wish.alike, meaning if wish.alike_by == MEANING else None, over, rarity)
        return taken(basket, Scored(every, scores, sum(one.of for one in self.found)), wish, rng, points)

    def text_of(self, choice: Choice, asked: _Asked, over: Over) -> tuple[Corpus, Choice, Callable[[int], Origin]]:
        """The sentences that are chosen, the choice among them, and where each is from."""
        ids = np.unique(choice.candidates.sentence)
        wanted = [*self._wanted(ids)]
        answers = each_done(self.cluster, _fetched, [(job, own) for job, own, _ in wanted], self.columns, self.tell)
        told = [
            _Sentence(one.cells, one.lines + more, one.comments)
            for (_, _, more), of_part in zip(wanted, answers, strict=True)
            for one in of_part
        ]
        tokens: list[Sentence] = [
            one.cells[0] if len(one.cells) == 1 else [*zip(*one.cells, strict=True)] for one in told
        ]
        made = corpus_of(tokens, self.columns)
        lines = np.concatenate([np.zeros(0, np.int64), *(one.lines for one in told)])
        corpus = Corpus(self.name, made.columns, made.values, made.codes, made.offsets, lines)
        old = choice.candidates
        place = np.searchsorted(ids, old.sentence)
        first = corpus.offsets[place] + old.first - self.offsets[old.sentence]
        unsure = None
        if STRATEGIES[asked.wish.strategy].unsure:
            unsure = Pool(corpus, asked.known.label, over, asked.known.model).confidence < asked.wish.confidence
        found = Candidates(first, first + old.stop - old.first, place, old.whole, unsure)
        starts = self.sentences[np.searchsorted(self.file, np.arange(len(self.paths)))]
        file = np.searchsorted(starts, ids, side="right") - 1
        several = len(self.paths) > 1

        def origin(sentence: int) -> Origin:
            number, of = int(ids[sentence]), int(file[sentence])
            name = display_name(self.paths[of]) if several else None
            return Origin(number - int(starts[of]) + 1, told[sentence].comments, name)

        return corpus, Choice(found, choice.scores, choice.of), origin

    def _filled(self) -> Iterator[PartJob]:
        """The parts that have a sentence."""
        return (job for job, found in zip(self.jobs, self.found, strict=True) if found.columns)

    def _array(self, job: PartJob, name: str) -> Array:
        with np.load(job.target) as arrays:
            array: Array = arrays[name]
        return array

    def _every(self, name: str) -> Array:
        """An array of all parts together."""
        return np.concatenate([self._array(job, name) for job in self._filled()])

    def _word_numbers(self) -> Longs:
        """A number for the word of each token, which stays on disk."""
        path = str(self.folder / "numbers")
        with output(path) as out:
            for job in self._filled():
                copy_into(out, _numbers_of(job))
                os.unlink(_numbers_of(job))
        return np.memmap(path, np.int64, "r")

    def _vectors(self, asked: _Asked) -> tuple[SentenceVectors, Singles]:
        """How sentences become vectors, and those of the whole pool."""
        assert asked.words
        sizes = [self._array(job, "dimensions") for job in self._filled()]
        refuse_large(int(self.sentences[-1]), int(sizes[0][0]), self.name)
        template = _meaning(asked.known, self.columns)
        places = len(places_of(template))
        means = [(self._every(f"means {n}"), self._every(f"has {n}")) for n in range(places)]
        return standardised(template, _shares(asked.words), means)

    def _wanted(self, ids: Longs) -> Iterator[tuple[PartJob, list[int], int]]:
        """Parts with some of the sentences, which these are in it, and how much is added to the lines of the part.

        A file in which comments may say something of sentences after them is read as a whole.
        """
        files = self.file[np.searchsorted(self.sentences, ids, side="right") - 1]
        for file in np.unique(files).tolist():
            parts = np.flatnonzero(self.file == file).tolist()
            jobs = [self.jobs[part] for part in parts]
            bounds = self.sentences[[*parts, parts[-1] + 1]]
            lines = [0, *np.cumsum([self.found[part].lines for part in parts]).tolist()]
            cut = [job.part for job in jobs if job.part.end is not None]
            if any(each_done(self.cluster, has_comments, cut, None, self.tell)):
                jobs = [PartJob(FilePart(self.paths[file]), jobs[0].layout, "")]
                bounds = bounds[[0, -1]]
            for number, job in enumerate(jobs):
                own = ids[(ids >= bounds[number]) & (ids < bounds[number + 1])] - bounds[number]
                before = lines[number] - SECOND + 1 if number else 0
                if len(own):
                    yield job, own.tolist(), before if job.part.rows is None else job.part.rows


@dataclass(frozen=True, eq=False)
class _Sentence:
    """A sentence that is chosen."""

    cells: list[list[str]]  # of each column
    lines: Longs
    comments: list[str]

    @property
    def tokens(self) -> Sentence:
        return self.cells[0] if len(self.cells) == 1 else [*zip(*self.cells, strict=True)]


def _save_earlier(earlier: Earlier, path: str) -> None:
    with output(path) as file:
        np.savez(file, numbers=earlier.numbers, offsets=earlier.offsets, labelled=earlier.labelled)


def _earlier(path: str) -> Earlier:
    """The sentences that were asked for before."""
    with np.load(path) as arrays:
        return Earlier(arrays["numbers"], arrays["offsets"], arrays["labelled"])


def _meaning(known: Known, columns: Sequence[str]) -> Template:
    """The template that says what sentences mean."""
    if known.meaning:
        return meaning_in(known.meaning, columns[word_place(columns)])
    return template_of_meaning(known.model)


def _shares(path: str) -> Mapping[str, float]:
    """The shares of words among the tokens of the pool, from the file of their counts."""
    density = opened(path)
    assert isinstance(density, NGrams)
    return _shares_in(density)


@lru_cache(1)
def _shares_in(density: NGrams) -> Mapping[str, float]:
    counts = density.counts[0].levels[0].counts
    return dict(zip(density.counts[0].values, (counts / counts.sum()).tolist(), strict=True))


def _numbers_of(job: PartJob) -> str:
    return job.target + ".words"


def _corpora(job: PartJob, heard: Heard) -> Iterator[tuple[Corpus | None, int]]:
    """The corpora of the blocks of a part, if these have a sentence, and the lines of each."""
    tokens = 0
    with lines_of_file(job.part):
        for block in part_blocks(job.part, job.layout):
            corpus = without_columns(joined([block], job.part.path), job.layout.beside) if len(block.rows) else None
            yield corpus, block.text.count(b"\n")
            tokens += len(block.rows)
            heard(tokens)


def _counted(job: PartJob, model: Model, heard: Heard) -> None:
    """Writes the counts of a part of a pool."""
    refuse_absent(job.target)
    assert model.first
    first, corpora = model.first, (corpus for corpus, _ in _corpora(job, heard) if corpus)
    counts = (predicted_counts(first, model.template, corpus, one_by_one) for corpus in corpora)
    save_counts(added_up(model, counts, is_part=True), job.target)


def _scored(job: PartJob, asked: _Asked, heard: Heard) -> _Found:
    """Writes the numbers of a part of a pool."""
    refuse_absent(job.target)
    known, wish, written = asked.known, asked.wish, _Written()
    density = opened(known.density) if known.density else None
    found = _Found(None, 0, 0, 0, None)
    labels = known.model.labels if known.model else None
    numbers = wish.alike is not None and wish.alike_by == WORDS
    with ExitStack() as stack:
        words = stack.enter_context(output(_numbers_of(job))) if numbers else None
        earlier = _earlier(asked.earlier)
        for corpus, lines in _corpora(job, heard):
            if corpus is None:
                found = replace(found, lines=found.lines + lines)
                continue
            meaning = _meaning(known, corpus.columns) if asked.words else None
            pool = Pool(corpus, known.label, one_by_one, known.model, density, known.terms, meaning)
            one = scored(pool, wish, earlier, random_of(wish))
            _add(written, one, corpus, found.sentences)
            if asked.words and meaning:
                _add_means(written, means_of(meaning, _shares(asked.words), corpus))
            if words:
                hashes = value_hashes(corpus.values[corpus.word_column])
                words.write(hashes[corpus.codes[corpus.word_column]].tobytes())
            own = held(corpus, known.label, known.mark, labels) if known.may_lose else None
            found = _Found(
                corpus.columns,
                found.sentences + corpus.sentences,
                found.lines + lines,
                found.of + one.of,
                own.with_more(found.held) if own and found.held else own,
            )
    if found.columns:
        written.save(job.target)
    return found


def _add(written: _Written, one: Scored, corpus: Corpus, before: int) -> None:
    """Adds the candidates of a block, before which its part has some sentences."""
    of = one.candidates
    begin = corpus.offsets[of.sentence]
    written.add(
        lengths=np.diff(corpus.offsets).astype(np.int32),
        sentence=(of.sentence + before).astype(np.int32),
        first=(of.first - begin).astype(np.int32),
        stop=(of.stop - begin).astype(np.int32),
        sizes=of.lengths.astype(np.int32),
        scores=one.scores,
    )


def _add_means(written: _Written, means: Sequence[Means]) -> None:
    for number, (own, has) in enumerate(means):
        written.add(**{f"means {number}": own, f"has {number}": has})
    written.add(dimensions=np.array([sum(own.shape[1] for own, _ in means)]))


def _fetched(wanted: tuple[PartJob, list[int]], columns: Sequence[str], heard: Heard) -> list[_Sentence]:
    """Some sentences of a part by their numbers, with the lines that they have in it."""
    job, numbers = wanted
    names, found, before, tokens = SentenceNames(), list[tuple[list[list[str]], Longs]](), 0, 0
    with lines_of_file(job.part):
        for block in names.noted(part_blocks(job.part, job.layout)):
            count = len(block.offsets) - 1
            for sentence in (number - before for number in numbers if before <= number < before + count):
                own = slice(*block.offsets[sentence : sentence + 2].tolist())
                cells = [[value.decode() for value in block.fields[block.column(name)][own]] for name in columns]
                found.append((cells, block.lines[own]))
            before += count
            tokens += len(block.rows)
            heard(tokens)
    return [_Sentence(*own, names.comments(number)) for number, own in zip(numbers, found, strict=True)]
