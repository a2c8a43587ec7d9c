"""Good files of every kind, and a good command for every option that names one."""

from pathlib import Path

from sstag.corpus.formats import input_names
from tests.attack.runs import Ran, Server

TRAIN = """Ann B-PER
Lee I-PER
lives O
in O
Oslo B-LOC
. O

Kim B-PER
met O
Ann B-PER
in O
Rome B-LOC
. O

It O
rained O
. O

"""
RAW = "Bob\nmet\nLee\nin\nOslo\n.\n\nAnn\nrained\n.\n\n"
TEXTS = {
    "train": TRAIN,
    "raw": RAW,
    "two": "".join(f"{line} {line.split()[-1]}\n" if line else "\n" for line in TRAIN.split("\n")[:-1]),
    "template": "columns: [word, label]\nfeatures: [word[0], word[-1]]\nedges: [labels]\n",
    "with-lexicon": "columns: [word, label]\nfeatures: ['lexicon(word[0], lexicon)']\nedges: [labels]\n",
    "config": "template: template\ntrain: train\nmodel: configured\nparameters: {max_iterations: 3}\n",
    "lexicon": "Oslo\nRome\n",
    "features": "word[0]=Ann\tB-PER\nword[0]=Oslo\tB-LOC\nword[0]=met\tO\n",
    "expectations": "word[0]=Ann\tB-PER:0.9 O:0.1\nword[0]=Oslo\tB-LOC\n",
    "rules": "rules:\n  - if: [word[0]=Oslo]\n    then: B-LOC\n    penalty: 2\n",
    "rejected": "1\t1\t1\t!PER\n",
    "spans": "1\t1\t2\tPER\n1\t5\t5\tLOC\n",
    "weights": "1\n2\n1\n",
    "costs": "B-PER\t2\n",
    "shares": "O\t0.6\n",
    "terms": "Oslo\nRome\n",
    "clusters": "00\tAnn\t3\n01\tOslo\t2\n1\tmet\t1\n",
    "vectors": "Ann 1 0 0.5\nOslo 0 1 0.5\nRome 0 0.9 0.4\nmet 1 1 1\nKim 0.9 0.1 0.5\n",
    "matrices": "",
}
QUICK = ("--set", "max_iterations=3")

# Each begins with its command. What stands in braces is a file; with `>` before it, one that is written.
RECIPES = """
train --template {template} --train {train} --dev {train} --model {>m} --report {>r} --threads 1 --set max_iterations=3
train --template {template} --train {train} --init {model} --model {>m} --set max_iterations=3
train --template {with-lexicon} --train {train} --model {>m} --set max_iterations=3
train --template {template} --train {train} --unlabeled {raw} --method self-training --set rounds=1 --model {>m}
train --template {template} --unlabeled {raw} --labeled-features {features} --method partial --model {>m}
train --template {template} --train {train} --unlabeled {raw} --rejected {rejected} --method partial --model {>m}
train --template {template} --unlabeled {raw} --expectations {expectations} --method expectation --model {>m}
train --template {template} --train {train} --rules {rules} --model {>m} --set max_iterations=3
train --template {template} --train {train} --sentence-weights {weights} --model {>m} --set max_iterations=3
train --template {template} --train {train} --sentence-weights {density} --model {>m} --set max_iterations=3
train --template {template} --train {train} --checkpoint {checkpoint} --model {>m} --set max_iterations=3
train --template {template} --train {train} --method hmm --model {>m}
train --config {config} --model {>m}
train --train {train} --encoder {folder} --model {>m} --set max_iterations=3
inspect {model}
inspect {model} --write-template {>t}
explain {raw} --model {model} --output {>o}
check {train}
check {train} --suspect --template {template} --folds 2 --open-below 0.5 --output {>o} --threads 1
convert {train} --to-scheme bioes --output {>o}
convert {train} --keep word --output {>o}
convert {train} --to-format jsonl --output {>o}
convert {train} --to-format doccano --output {>o}
convert {raw} --spans {spans} --to-scheme iob2 --output {>o}
convert {train} --join other={two} --output {>o}
split {train} --part {>p}=2 --part {>q}=rest
shuffle {train} --output {>o}
draw {train} 1 --output {>o}
eval {two} --output {>o} --resamples 10
eval {train} {train} --compare {train} --ambiguous-in {train} --output {>o} --resamples 10
eval {train} --model {model} --output {>o} --resamples 10
eval {train} {predictions.jsonl} --output {>o} --resamples 10 --calibration
eval {train} --model {model} --near {train} --meaning {vectors} --errors 3 --output {>o} --resamples 10
agree {train} {train} --sheet {>s} --output {>o}
agree {train} --model {model} --output {>o}
merge {train} {train} --output {>o} --report {>r}
merge {raw} --raw --model {model} --labeled-features {features} --functions {features} --output {>o}
template ner --for {train} --clusters {clusters} --vectors {vectors} --output {>o}
template ner --for {train} --encoder {folder} --output {>o}
features {train} --template {template}
expectations --template {template} --train {train} --unlabeled {raw} --output {>o}
expectations --template {template} --train {train} --list {expectations} --output {>o}
expectations --template {template} --train {train} --like {expectations} --vectors {vectors} --output {>o}
select --pool {raw} --model {model} --exclude {raw2} --terms {terms} --strategy random --count 1 --output {>o}
select --pool {raw} --model {model} --density {density} --strategy density --count 1 --output {>o}
select --pool {raw} --model {model} --count 1 --strategy entropy --output {>o}
select --pool {raw} --no-label --meaning {vectors} --strategy random --spread k-means++ --count 1 --output {>o}
density {train} --text {train} --save {>d} --output {>o}
density {train} --load {density} --output {>o}
vectors {train} --dimensions 2 --least 1 --output {>v}
vectors --load {vectors} --near Ann
encode {train} --rows {rows} --name other --output {>o}
encode {train} --encoder {folder}
encode {train} --template {template} --encoder mini
clusters {train} --count 2 --least 1 --output {>c}
clusters --show {clusters}
sample ads {>folder2} --train 2 --dev 0 --test 0 --unlabeled 0
sample hmm {>folder4} --matrices {matrices} --train 2 --dev 0 --test 0 --unlabeled 0
experiment curve --pool {train} --test {train} -t {template} --strategy random --count 1,2 --draws 1 --out {>folder3}
experiment compare --train {train} -t {template} --method crf --method hmm --out {>folder3} --folds 2
tag {raw} --model {model} --output {>o} --threads 1
tag {raw} --model {model} --format jsonl --confidence --output {>o}
tag {raw} --model {model} --format doccano --output {>o}
tag {raw} --model {model} --rules {rules} --output {>o}
tag {raw} --model {model} --costs {costs} --output {>o}
tag {raw} --model {model} --match-shares {shares} --write-model {>m} --output {>o}
export {folder} --rejected {>r} --expectations {>x} --output {>o}
"""
# Options whose files only `make test-cluster` has a use for.
OF_CLUSTERS = ("--scheduler-file", "--tls-ca-file", "--tls-cert", "--tls-key")
SERVERS = ("annotate", "serve")  # which the tests of tests/with_web attack: they run until somebody ends them


def recipes() -> list[list[str]]:
    """The commands, word by word."""
    return [line.split() for line in RECIPES.strip().splitlines()]


def is_file(word: str) -> bool:
    """Whether a word of a recipe is a file that is read."""
    return "{" in word and "{>" not in word


def filled(words: list[str], folder: Path) -> list[str]:
    """A command with the files of a folder; what it writes is in the folder `out` there."""
    made = []
    for word in words:
        before, brace, rest = word.partition("{")
        name, _, after = rest.partition("}")
        place = folder / "out" / name[1:] if name.startswith(">") else folder / name
        made.append(f"{before}{place}{after}" if brace else word)
    return made


def prepare(folder: Path, server: Server) -> None:
    """Writes the good files."""
    for name, text in TEXTS.items():
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "raw2").write_text(RAW[RAW.index("Ann") :], encoding="utf-8")
    for name in ("out", "folder"):
        (folder / name).mkdir(exist_ok=True)

    def run(*words: str) -> Ran:
        return server.run(*filled(list(words), folder), folder=str(folder))

    run("train", "--template", "{template}", "--train", "{train}", "--model", "{model}", *QUICK)
    run("density", "--text", "{train}", "--save", "{density}")
    run("tag", "{train}", "--model", "{model}", "--format", "jsonl", "--confidence", "--output", "{predictions.jsonl}")
    run("sample", "hmm", "{folder2}", "--train", "1", "--dev", "0", "--test", "0", "--unlabeled", "0")
    (folder / "matrices").write_bytes((folder / "folder2" / "hmm.yaml").read_bytes())
    import numpy as np

    np.save(folder / "rows.npy", np.ones((len(TRAIN.split()) // 2, 3), np.float32))
    (folder / "rows.npy").rename(folder / "rows")


def _write_parts(folder: Path) -> None:
    """Vectors in every format; the files of folders, of which a name has % in the place of each /."""
    import json

    from sstag.interfaces.annotate.project import opened
    from tests import encoder_models
    from tests.projects import answer, project_in
    from tests.vector_files import written

    for form in ("word2vec text", "glove", "gzipped", "word2vec binary", "wink", "fasttext"):
        name = f"vectors-{form.replace(' ', '-')}"
        (folder / name).write_bytes(Path(written(folder / "forms", form)).read_bytes())
    (folder / "clusters-table").write_text(json.dumps({"Ann": 5, "met": 3, "Oslo": 9}))
    encoder = encoder_models.model(folder / "an-encoder", "bert")
    (encoder / "tokenizer.json").write_text(json.dumps(encoder_models.tokenizer("bert")))
    project = project_in(folder / "forms")
    begun = opened(str(project))
    answer(begun)
    begun.close()
    model2vec = Path(written(folder / "forms", "model2vec"))
    for before, place in (("encoder", encoder), ("model2vec", model2vec), ("project", project)):
        for path in place.rglob("*"):
            if path.is_file():
                name = "%".join((before, *path.relative_to(place).parts))
                (folder / name).write_bytes(path.read_bytes())


def good_files(folder: Path) -> dict[str, bytes]:
    """The good files by their names, and the labelled one in each format that can be read."""
    if not (folder / "model").exists():
        folder.mkdir(parents=True, exist_ok=True)
        server = Server()
        prepare(folder, server)

        def run(*words: str) -> None:
            server.run(*filled(list(words), folder), folder=str(folder))

        run("vectors", "{train}", "--dimensions", "2", "--least", "1", "--output", "{own-vectors}")
        template = "columns: [word, label]\nfeatures: [word[0], 'vector(word[0], vectors)']\nedges: [labels]\n"
        (folder / "with-vectors").write_text(template)
        (folder / "prototypes").write_text("word[0]=Ann\tB-PER\nword[0]=Oslo\tB-LOC\nword[0]=met\tO\n")
        (folder / "of-words").write_text("columns: [word, label]\nfeatures: [word[0]]\nedges: [labels]\n")
        for method, words in (
            ("hmm", "--template {template} --train {train} --method hmm"),
            ("dense", "--template {with-vectors} --train {train} --set max_iterations=3"),
            ("prototype", "--template {of-words} --unlabeled {raw} --method prototype --expectations {prototypes} "
                          "--set max_iterations=3"),
        ):  # fmt: skip
            run("train", *words.split(), "--model", f"{{{method}-model}}")
        _write_parts(folder)
        for name in input_names():
            run("convert", "{train}", "--to-format", name, "--output", f"{{as-{name}.{name}}}")
        for name, endings in (("brat", ("txt", "ann")), ("webanno", ("tsv",))):  # a file a document
            run("convert", "{train}", "--to-format", name, "--output", f"{{{name}}}/")
            for ending in endings:
                first = min((folder / name).glob(f"*.{ending}"))
                (folder / f"as-{name}.{ending}").write_bytes(first.read_bytes())
        server.close()
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
