"""Advice about templates, encoders and vectors: each has a file that is wrong, and one in which it is mended."""

from collections.abc import Mapping
from gzip import compress

import numpy as np

from tests.advised import Case, advised
from tests.advised.files import VECTORS
from tests.vector_files import fasttext

HEAD = "columns: [word, label]\n"


def template(*features: str, **more: str) -> str:
    """A template of these features, with other keys above them."""
    above = "".join(f"{key}: {value}\n" for key, value in more.items())
    return f"{HEAD}{above}features:\n" + "".join(f"  - {feature}\n" for feature in features)


def mended(
    told: str, bad: str, *good: str, files: Mapping[str, str | bytes] | None = None, words: str = "",
    bounds: Mapping[str, object] | None = None,
) -> Case:  # fmt: skip
    """A training by a template that is wrong; then by each of those in which it is mended."""
    names = {f"good{number}.yaml": text for number, text in enumerate(good)}
    return advised(f"train -t bad.yaml --train t.txt -m new {words}", told,
                   *(f"without bad.yaml with {name}" for name in names),
                   files={"bad.yaml": bad, **names, **(files or {})}, bounds=bounds)  # fmt: skip


FASTTEXT = fasttext(("Kim", "met"), np.ones((2, 2), np.float32), 0)
QUANTISED = FASTTEXT[:84] + (5).to_bytes(8, "little") + FASTTEXT[92:]
FLAGS = "'{}': flags are not read; compare lower(...) to ignore case"
ENCODED = HEAD + "encoders: {{mini: {{{}}}}}\nfeatures: ['encoded(mini[0])']\n"
TRAINED = ENCODED.format("model: mini, train: 1")
CASES: tuple[Case, ...] = (
    mended("a template needs the names of the columns", "columns: []\nfeatures: ['word[0]']\n", template("word[0]")),
    mended("label: there is no column '{}'{}", template("word[0]", label="labl"), template("word[0]", label="label")),
    mended("'{}' is a function: write {}", template("lower"), template("lower(word[0])")),
    mended("'{}' goes down: write {}..{}", template("word[1..-1]"), template("word[-1..1]")),
    mended(FLAGS, template("'matches(word[0], \"(?i)kim\")'"), template("'matches(lower(word[0]), \"kim\")'")),
    mended("flags are not read in a pattern; compare lower(...) to ignore case",
           template("'matches(word[0], \"(?i:kim)\")'"), template("'matches(lower(word[0]), \"kim\")'")),
    mended("quote this line: YAML reads it as something else than text", template("word[0]", "1"), template("word[0]")),
    mended("'{}' must be text: quote it", template("word[0]", label="1"), template("word[0]", label='"label"')),
    mended("anchors and aliases (& and *) are not read; quote this line if it is text",
           template("word[0]", label="&label label"), template("word[0]", label="'label'")),
    mended("tags (!) are not read; quote this line if it is text",
           template("word[0]", label="!label label"), template("word[0]", label="'label'")),
    mended("not YAML: {} (quote the text?)", template("word[0]", label="'label"), template("word[0]", label="'label'")),
    mended("a 'stride' needs a 'window' that is at least as large", ENCODED.format("model: mini, stride: 4"),
           ENCODED.format("model: mini, stride: 4, window: 8")),
    mended(": name {}, which has one", ENCODED.format("model: above"), ENCODED.format("model: above/mini")),
    mended(" (sstag vectors --lower)", template("'similar(lower(word[0]), p.txt, v.txt, 0.5)'"),
           template("'similar(lower(word[0]), p.txt, lower.txt, 0.5)'"),
           files={"p.txt": "kim\n", "lower.txt": VECTORS.lower()}),
    mended("is read piece by piece: unpack it first (gunzip)", template("'vector(word[0], v.bin)'"),
           template("'vector(word[0], plain.bin)'"), files={"v.bin": compress(FASTTEXT), "plain.bin": FASTTEXT}),
    mended("is quantised (.ftz), which is not read: take the .bin", template("'vector(word[0], v.ftz)'"),
           template("'vector(word[0], v.bin)'"), files={"v.ftz": QUANTISED, "v.bin": FASTTEXT}),
    mended("hmm emits what stands at each token: the template needs a feature such as word[0]", template("word[-1]"),
           template("word[0]"), words="--method hmm"),
    advised("train -t bad --train two.txt -m new --method hmm",
        "two features make the same attributes: hmm needs a name of its own for each", "without bad with good",
        files={"bad": "U:%x[0,0]\nU:%x[0,1]\nB\n", "good": "U1:%x[0,0]\nU2:%x[0,1]\nB\n"}),
    mended("prototype is a distribution over words: '{}' looks beyond the word itself; features are such as word[0], "
           "suffix(word[0], 1..3) or similar(word[0], …), and edges labels, begin and end",
           template("word[-1]"), template("word[0]"), template('"suffix(word[0], 1..3)"', "word[0]"),
           words="--method prototype --unlabeled p.txt --expectations l.tsv"),
    mended("has no such attribute: add {}", template('"suffix(word[0], 1..3)"'),
        template('"suffix(word[0], 1..3)"', "word[0]"),
        words="--method prototype --unlabeled p.txt --expectations l.tsv"),
    mended("epochs: passes of stochastic gradient need {} (epochs=0 climbs)", template("'vector(word[0], v.txt)'"),
           template("word[0]"), words="--set epochs=2"),
    advised("train -t vector.yaml --train t.txt -m new --set epochs=2",
        "epochs: passes of stochastic gradient need {} (epochs=0 climbs)", "without epochs=2 with epochs=0"),
    mended("predicted(…) is left out: a first model labels raw text for it, and there is none "
           "(--unlabeled FILE)", template("word[0]", '"predicted(word[0])"'), template("word[0]")),
    advised("train -t look.yaml --train t.txt -m new", "predicted(…) is left out: a first model labels raw "
        "text for it, and there is none (--unlabeled FILE)", "with --unlabeled p.txt"),
    advised("train -t look.yaml --train t.txt -m new --unlabeled t.txt", "predicted(…) is left out: each sentence of "
        "the raw text is among the labelled ones, which the first model knows already; name a file with other "
        "sentences (--unlabeled FILE)", "without --unlabeled t.txt with --unlabeled p.txt"),
    advised("expectations -t none.yaml --train t.txt",
        "no feature of the template looks at the token alone: which shall it be? (--feature word[0])",
        "with --feature word[0]", files={"none.yaml": template("word[-1]")}),
    mended("'train' changes an encoder, and 'vectors' stay as they are: name its 'model'",
        ENCODED.format("vectors: done, train: 1"), TRAINED),
    mended("train: {} can be trained, not {}", ENCODED.format("model: mini, train: 99"), TRAINED),
    mended("train: one encoder of a template is trained, and these are {}",
        HEAD + "encoders: {mini: {model: mini, train: 1}, above: {model: above/mini, train: 1}}\n"
        "features: ['encoded(mini[0])', 'encoded(above[0])']\n", TRAINED),
    advised("train -t trained.yaml --train t.txt -m new --dev dev.txt --folds 3",
        "a trained encoder is judged by development data (--dev) or by cross-validation (--folds 3)",
        "without --folds 3", files={"trained.yaml": TRAINED}),
    advised("train -t trained.yaml --train t.txt -m new",
        "{} (--dev FILE or --folds 3 tells whether that is better than the encoder as it is)", "with --dev dev.txt",
        "with --folds 3", files={"trained.yaml": TRAINED}),
    advised("train -t trained.yaml --train t.txt -m new --checkpoint near",
        "train: the blocks of {} are trained without a checkpoint: leave one of them out", "without --checkpoint near",
        "without trained.yaml with encoder.yaml", files={"trained.yaml": TRAINED}),
    advised("train -t trained.yaml --train t.txt -m new --init first",
        "init: blocks of the encoder of the earlier model were trained, and those of {} begin as they are in its "
        "files: leave init out", "without --init first", files={"trained.yaml": TRAINED},
        before=["train -t trained.yaml --train t.txt -m first"]),
    advised("expectations -t t.yaml --train t.txt --least 99", "none occurs {} times and has a label (--least, --by)",
        "without 99 with 1"),
    advised("template ner --for six.txt", " (--columns names columns)", "with --columns word,pos,label",
        files={"six.txt": "Kim N O\nmet V O\n"}),
)  # fmt: skip
