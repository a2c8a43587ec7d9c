"""Encoders in NumPy against a plain reference; windows, pieces and layers; what is kept, and what is refused."""

import json
import os
import struct
from pathlib import Path

import numpy as np
import pytest

from sstag.corpus.corpus import Corpus, corpus_of
from sstag.features.encoders.contract import middle
from sstag.features.encoders.encoder import Encoder, found
from sstag.features.encoders.encoding import encoded
from sstag.features.encoders.settings import Reading, Settings
from sstag.features.encoders.store import MANY, Store
from sstag.features.encoders.vector_log import HEAD, RECORD, key_of, read_log
from sstag.features.encoders.windows import windows
from sstag.features.encoders.with_numpy import NumpyBackend
from sstag.features.encoders.wordpiece import WordPiece
from sstag.foundation.errors import ConfigError, DataError
from sstag.foundation.safetensors import Safetensors
from tests import encoder_models
from tests.encoder_models import PIECES, model, reference, weights

SENTENCES = [["Bad", "cafe", ",", "abc"], ["h"], ["a", "b", "北c", "deg"], ["Bad", "cafe", ",", "abc"], ["g"] * 5]


def text(sentences: list[list[str]] = SENTENCES) -> Corpus:
    return corpus_of(sentences, ("word",))


def encoder(folder: Path, **reading: object):
    return found(Settings(str(folder), reading=Reading(**reading)), ("",))


@pytest.fixture
def bert(tmp_path: Path) -> Path:
    return model(tmp_path / "bert")


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "cache" / "encoded", 10**6)


@pytest.mark.parametrize("kind", ["bert", "mpnet"])
@pytest.mark.parametrize("layers", [(0,), (1,), (1, 3), (4,)])
def test_states_are_those_of_the_reference(tmp_path, kind, layers):
    backend = encoder(model(tmp_path / "m", kind), layers=layers).loaded
    assert isinstance(backend, NumpyBackend)
    assert backend.longest == (38 if kind == "mpnet" else 40)
    rng = np.random.default_rng(2)
    for length in (1, 2, 9, backend.longest):
        pieces = rng.integers(0, len(PIECES), (3, length))
        states = backend.states(pieces)
        for row, got in zip(pieces.tolist(), states, strict=True):
            every = reference(kind, row, weights(kind))
            np.testing.assert_allclose(got, np.mean([every[layer] for layer in layers], axis=0), atol=2e-5)


def test_the_middle_third_is_read():
    assert [middle(layers) for layers in (6, 12, 3, 1)] == [(2, 3, 4), (4, 5, 6, 7, 8), (1, 2), (0, 1)]


@pytest.mark.parametrize("pieces", ["mean", "first", "last"])
def test_vectors_of_words_are_made_of_those_of_their_pieces(bert, pieces):
    made = encoder(bert, layers=(2,), pieces=pieces)
    words = ["cafe", "abed", "."]
    own = [made.loaded.pieces(word) for word in words]
    assert [len(one) for one in own] == [1, 3, 1]  # a ##b ##ed
    states = reference("bert", [2, *(piece for one in own for piece in one), 3], weights("bert"))[2]
    many = {"mean": states[2:5].mean(axis=0), "first": states[2], "last": states[4]}[pieces]
    got = encoded(text([words]), "word", made, None)
    assert got.dtype == np.float16
    np.testing.assert_allclose(got, [states[1], many, states[5]], atol=2e-3)


def test_a_sentence_has_the_same_bits_among_any_others(bert):
    made = encoder(bert)
    everything = text(SENTENCES + [["a"] * size for size in range(1, 60)])
    together = encoded(everything, "word", made, None, threads=3)
    for sentence in (0, 2, 5, 60):
        rows = slice(int(everything.offsets[sentence]), int(everything.offsets[sentence + 1]))
        alone = encoded(text([everything.words("word", sentence)]), "word", made, None)
        assert alone.tobytes() == together[rows].tobytes()


def test_case_is_kept_or_lower(tmp_path):
    folder = model(tmp_path / "m")
    (folder / "tokenizer_config.json").write_text('{"do_lower_case": false}')
    kept, lower = (
        encoded(text([["Bad"], ["bad"]]), "word", encoder(folder, case=case), None) for case in ("kept", "lower")
    )
    assert kept[0].tobytes() != kept[1].tobytes() == lower[0].tobytes() == lower[1].tobytes()


# ------------------------------------------------------------------ long sentences


@pytest.mark.parametrize(("room", "stride"), [(5, 2), (5, 5), (6, 1), (3, 1), (1, 1), (100, 50)])
def test_each_word_belongs_to_one_window(room, stride):
    rng = np.random.default_rng(3)
    for _ in range(50):
        counts = rng.integers(1, min(room, 3) + 1, int(rng.integers(1, 30))).tolist()
        made = windows(counts, room, stride)
        assert [place for one in made for place in range(one.owned.start, one.owned.stop)] == [*range(len(counts))]
        for one in made:
            assert sum(counts[one.words]) <= room
            assert (
                one.owned.start == one.owned.stop
                or one.words.start <= one.owned.start < one.owned.stop <= one.words.stop
            )


def test_words_far_from_the_cut_are_taken():
    made = windows([1] * 10, 6, 4)
    assert [(one.words, one.owned) for one in made] == [(slice(0, 6), slice(0, 5)), (slice(4, 10), slice(5, 10))]


def test_long_sentences_are_read_in_windows(bert):
    words = ["a", "b", "bad", "c", "d", "e", "cafe", "f", "g"]
    got = encoded(text([words]), "word", encoder(bert, layers=(4,), window=6, stride=3), None)
    number = {piece: place for place, piece in enumerate(PIECES)}
    parts = [
        reference("bert", [2, *(number[word] for word in words[some]), 3], weights("bert"))[4]
        for some in (slice(0, 6), slice(3, 9))
    ]
    np.testing.assert_allclose(got, np.concatenate([parts[0][1:5], parts[1][2:7]]), atol=5e-3)


def test_a_word_larger_than_a_window_is_cut(bert):
    got = encoded(text([["h" * 90, "a"]]), "word", encoder(bert), None)
    assert got.shape == (2, encoder_models.WIDTH)
    assert np.isfinite(got).all()


# ------------------------------------------------------------------ pieces of words


@pytest.fixture
def words() -> WordPiece:
    return WordPiece({piece: place for place, piece in enumerate(PIECES)}, True, True, True, "vocab.txt")


@pytest.mark.parametrize(
    ("word", "pieces"),
    [
        ("bad", ["bad"]),
        ("Bäd", ["bad"]),
        ("badeda", ["bad", "##ed", "##a"]),
        ("a,b.", ["a", ",", "b", "."]),
        ("a北b", ["a", "北", "b"]),
        ("x", ["[UNK]"]),
        ("ax", ["[UNK]"]),  # no rest may be unknown
        ("a,x", ["a", ",", "[UNK]"]),
        ("\u200b", ["[UNK]"]),  # nothing to see
        ("a\u200bb", ["a", "##b"]),
        ("a\u00a0b", ["a", "b"]),
        ("a\x1fb", ["a", "##b"]),
        ("a" * 100, ["a", *["##a"] * 99]),
        ("a" * 101, ["[UNK]"]),
        ("[SEP]", ["[UNK]", "[UNK]", "[UNK]"]),  # text, and no end of a window
    ],
)
def test_pieces(words, word, pieces):
    assert [PIECES[number] for number in words.pieces(word)] == pieces


def test_a_tokenizer_says_the_same_as_a_vocabulary(tmp_path):
    by_vocabulary, by_tokenizer = (model(tmp_path / name) for name in "ab")
    (by_tokenizer / "vocab.txt").unlink()
    (by_tokenizer / "tokenizer.json").write_text(json.dumps(encoder_models.tokenizer()))
    first, second = (encoder(folder).loaded for folder in (by_vocabulary, by_tokenizer))
    for word in ("Bäd", "a,b.", "a北b", "x"):
        assert first.pieces(word) == second.pieces(word)


# ------------------------------------------------------------------ what was encoded is kept


def kept_in(store: Store, made: Encoder) -> np.ndarray:
    """The vectors of the text, which are kept."""
    return encoded(text(), "word", made, store.shelf(made.digest))


class Counting:
    """Counts the windows that are computed, and is interrupted when there are more than so many."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.done, self.most = 0, 10**9
        states = NumpyBackend.states

        def counted(backend: NumpyBackend, pieces: np.ndarray) -> np.ndarray:
            self.done += len(pieces)
            if self.done > self.most:
                raise KeyboardInterrupt
            return states(backend, pieces)

        monkeypatch.setattr(NumpyBackend, "states", counted)


@pytest.fixture
def counting(monkeypatch: pytest.MonkeyPatch) -> Counting:
    return Counting(monkeypatch)


def test_what_was_encoded_is_read(bert, store, counting):
    shelf = store.shelf(encoder(bert).digest)
    fresh = encoded(text(), "word", encoder(bert), shelf)
    assert counting.done == 4  # one sentence stands there twice
    for again in (shelf, store.shelf(encoder(bert).digest)):  # in this run, and in the next
        got = encoded(text(SENTENCES[::-1]), "word", encoder(bert), again)
        assert got[-4:].tobytes() == fresh[:4].tobytes()
    assert counting.done == 4
    assert [one.sentences for one in store.kept()] == [4]


def test_another_reading_is_another_encoder(bert, store):
    readings = ({}, {"layers": (1,)}, {"pieces": "first"}, {"window": 9}, {"window": 9, "stride": 3}, {"case": "lower"})
    assert len({encoder(bert, **one).digest for one in readings}) == len(readings)
    for name in ("config.json", "vocab.txt", "model.safetensors"):
        before = encoder(bert).digest
        (bert / name).write_bytes((bert / name).read_bytes() + b" ")
        assert encoder(bert).digest != before


def test_an_encoder_without_a_vocabulary_says_so(bert):
    (bert / "vocab.txt").unlink()
    with pytest.raises(DataError, match=r"model\.safetensors: there is no tokenizer\.json or vocab\.txt beside it"):
        _ = encoder(bert).loaded


def test_after_an_interruption_the_rest_is_encoded(bert, store, counting, monkeypatch):
    monkeypatch.setattr("sstag.features.encoders.encoding.TOGETHER", 8)
    everything = text([["a"] * size for size in range(1, 30)])
    want = encoded(everything, "word", encoder(bert), None)
    assert counting.done == 29
    counting.most = 29 + 14
    with pytest.raises(KeyboardInterrupt):
        encoded(everything, "word", encoder(bert), store.shelf(encoder(bert).digest))
    kept = store.kept()[0].sentences
    assert 8 < kept <= 14
    counting.done, counting.most = 0, 10**9
    rest = encoded(everything, "word", encoder(bert), store.shelf(encoder(bert).digest))
    assert rest.tobytes() == want.tobytes()
    assert counting.done == 29 - kept


@pytest.mark.parametrize("damage", ["cut", "numbers", "head", "empty"])
def test_damaged_records_are_encoded_anew(bert, store, counting, damage):
    want = encoded(text(), "word", encoder(bert), store.shelf(encoder(bert).digest))
    (log,) = store.folder.glob("*/*.log")
    data = bytearray(log.read_bytes())
    if damage == "cut":
        data = data[:-3]
    elif damage == "numbers":
        data[-1] ^= 1
    else:
        data = data[: 5 if damage == "head" else 0]
    log.write_bytes(data)
    done = counting.done
    again = encoded(text(), "word", encoder(bert), store.shelf(encoder(bert).digest))
    assert again.tobytes() == want.tobytes()
    assert counting.done == done + (1 if damage in ("cut", "numbers") else 4)


def test_room_is_made_of_what_was_not_used_for_longest(bert, store, monkeypatch, caplog):
    monkeypatch.setattr("sstag.features.encoders.store.AHEAD", 64)
    for layer in (1, 2):
        kept_in(store, encoder(bert, layers=(layer,)))
        (log,) = (store.folder / encoder(bert, layers=(layer,)).digest).glob("*.log")
        os.utime(log, (layer, layer))
    size = sum(one.bytes for one in store.kept())
    kept_in(Store(store.folder, size + 10), encoder(bert, layers=(3,)))
    left = {one.digest for one in store.kept() if one.sentences}
    assert left == {encoder(bert, layers=(layer,)).digest for layer in (2, 3)}
    assert not caplog.records
    small = Store(store.folder.parent / "small", 100)
    want = encoded(text(), "word", encoder(bert), None)
    assert kept_in(small, encoder(bert)).tobytes() == want.tobytes()
    assert "the cache is full" in caplog.text


def test_many_logs_become_one(bert, store, counting):
    made = encoder(bert)
    for size in range(1, MANY + 3):
        encoded(text([["a"] * size]), "word", made, store.shelf(made.digest))
    assert len([*store.folder.glob("*/*.log")]) <= MANY
    done = counting.done
    encoded(text([["a"] * size for size in range(1, MANY + 3)]), "word", made, store.shelf(made.digest))
    assert counting.done == done


def test_clearing(bert, store):
    for layer in (1, 2):
        kept_in(store, encoder(bert, layers=(layer,)))
    digest = encoder(bert, layers=(1,)).digest
    assert store.cleared(digest[:12]) > 0
    assert [one.digest for one in store.kept()] == [encoder(bert, layers=(2,)).digest]
    assert store.cleared() > 0
    assert store.kept() == []


def test_folders_of_others_are_refused(bert, store, monkeypatch):
    kept_in(store, encoder(bert))
    store.folder.chmod(0o777)
    with pytest.raises(DataError, match="chmod go-w"):
        kept_in(store, encoder(bert))
    store.folder.chmod(0o700)
    monkeypatch.setattr("os.getuid", lambda: os.stat(store.folder).st_uid + 1)
    with pytest.raises(DataError, match="another user"):
        store.kept()


def test_keys_tell_words_apart():
    assert len({key_of(words) for words in (["ab"], ["a", "b"], ["b", "a"], ["1:a"], ["a1:"], [])}) == 6


# ------------------------------------------------------------------ files that are not what they should be


def broken_safetensors(path: Path, head: object, body: bytes = b"") -> Path:
    data = head if isinstance(head, bytes) else json.dumps(head).encode()
    path.write_bytes(struct.pack("<Q", len(data)) + data + body)
    return path


ENTRY = {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}


@pytest.mark.parametrize(
    ("head", "message"),
    [
        (b"no json at all", "its head is no JSON"),
        ({"a": ENTRY | {"data_offsets": [0, 12]}}, "'a' does not fit into the file"),
        ({"a": ENTRY | {"data_offsets": [-4, 4]}}, "where 'a' stands is not said"),
        ({"a": ENTRY | {"shape": [3]}}, "another size than its shape"),
        ({"a": ENTRY | {"shape": [True, 2]}}, "where 'a' stands is not said"),
        ({"a": ENTRY | {"shape": [2**60]}}, "where 'a' stands is not said"),
        ({"a": {"dtype": "F32"}}, "where 'a' stands is not said"),
        ({"a": 3}, "where 'a' stands is not said"),
    ],
)
def test_damaged_safetensors(tmp_path, head, message):
    with pytest.raises(DataError, match=message):
        Safetensors(str(broken_safetensors(tmp_path / "x", head, bytes(8))))


def test_a_head_that_is_longer_than_the_file(tmp_path):
    path = tmp_path / "x"
    path.write_bytes(struct.pack("<Q", 2**60) + b"{}")
    with pytest.raises(DataError, match="its head does not fit into it"):
        Safetensors(str(path))


def test_numbers_of_every_precision(tmp_path):
    want = np.array([[1.0, -2.5], [0.0, 3.0]], np.float32)
    high = (want.view(np.uint32) >> 16).astype(np.uint16)
    encoder_models.safetensors(
        tmp_path / "x",
        {"single": want, "half": want.astype(np.float16), "double": want.astype(np.float64), "brain": high},
    )
    file = Safetensors(str(tmp_path / "x"))
    for name in ("single", "half", "double", "brain"):
        assert file.singles(name, (2, 2)).tobytes() == want.tobytes()
    with pytest.raises(DataError, match="has the shape"):
        file.singles("single", (4,))
    with pytest.raises(DataError, match="no array 'other'"):
        file.array("other")


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("config.json", {"hidden_size": 13}, "its sizes do not fit together"),
        ("config.json", {"hidden_size": 24}, "has the shape"),
        ("config.json", {"num_hidden_layers": 10**9}, "'num_hidden_layers' must be a number from 1 to 200"),
        ("config.json", {"num_hidden_layers": 5}, "no array 'encoder.layer"),
        ("config.json", {"model_type": "gpt2"}, "take backend: onnx or transformers"),
        ("config.json", {"hidden_act": "relu"}, "not bert with relu"),
        ("config.json", {"layer_norm_eps": "x"}, "'layer_norm_eps' must be a number"),
        ("config.json", b"{", "cannot be read as JSON"),
        ("vocab.txt", b"\xff", "not UTF-8"),
        ("vocab.txt", b"a\nb\n", "there is no piece"),
        ("vocab.txt", "\n".join([*PIECES, "more"]).encode(), "pieces beyond the"),
        ("model.safetensors", b"PK\x03\x04", "no safetensors file"),
    ],
)
def test_what_does_not_fit_is_refused(bert, name, change, message):
    path = bert / name
    path.write_bytes(
        change if isinstance(change, bytes) else json.dumps(encoder_models.config("bert") | change).encode()
    )
    with pytest.raises(DataError, match=message) as raised:
        encoded(text([["a"]]), "word", encoder(bert, layers=(5 if message.startswith("no array") else 4,)), None)
    assert raised.value.path


def test_pickles_are_never_read(tmp_path):
    (tmp_path / "pytorch_model.bin").write_bytes(b"\x80\x04.")
    with pytest.raises(DataError, match=r"there is no model.safetensors .*pickles are never read"):
        encoder(tmp_path)


def test_numbers_beyond_half_precision(tmp_path):
    folder = model(tmp_path / "m")
    arrays = weights("bert")
    arrays["embeddings.LayerNorm.weight"] = arrays["embeddings.LayerNorm.weight"] * np.float32(1e6)
    encoder_models.safetensors(folder / "model.safetensors", arrays)
    with pytest.raises(DataError, match="does not fit into half precision"):
        encoded(text(), "word", encoder(folder, layers=(0,)), None)


def test_missing_encoders_and_packages(tmp_path, monkeypatch):
    with pytest.raises(DataError, match=r"no such encoder in .* or .*hub"):
        found(Settings("some/model"), (str(tmp_path),))
    monkeypatch.setattr("sstag.features.encoders.encoder.find_spec", lambda name: None)
    folder = model(tmp_path / "m")
    with pytest.raises(ConfigError, match=r"needs torch and transformers and tokenizers: pip install 'torch"):
        _ = found(Settings(str(folder), backend="transformers"), ("",)).loaded


def test_names_in_the_cache_of_the_hub(tmp_path, monkeypatch):
    monkeypatch.delenv("HF_HUB_CACHE", raising=False)
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    top = tmp_path / "hub" / "models--some--model"
    (top / "refs").mkdir(parents=True)
    (top / "refs" / "main").write_text("abc123")
    (top / "snapshots").mkdir()
    model(top / "snapshots" / "abc123")
    first = found(Settings("some/model"), ("",))
    assert first.digest == found(Settings("some/model@abc123"), ("",)).digest
    assert first.loaded.width == encoder_models.WIDTH
    (top / "refs" / "main").write_text("../../elsewhere")
    with pytest.raises(DataError, match="no such encoder"):
        found(Settings("some/model"), ("",))


def test_files_of_vectors(tmp_path):
    path = tmp_path / "x.vectors"
    path.write_bytes(b"something else, and long enough to have a whole head at its beginning")
    with pytest.raises(DataError, match="no vectors of tokens"):
        read_log(str(path))
    path.write_bytes(HEAD.pack(b"sstagvec", 0, bytes(32)) + RECORD.pack(bytes(16), 1, 0))
    with pytest.raises(DataError, match="damaged"):
        read_log(str(path))
