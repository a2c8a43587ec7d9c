"""Advice that is rare: limits, files beside models, checkpoints, recorded runs, and what a cache says."""

from pathlib import Path

import numpy as np

from tests.advised import Case, advised
from tests.advised.files import LABELLED, VECTORS
from tests.vector_files import safetensors

TRAIN = "train -t t.yaml --train t.txt -m new"
RAW = f"{TRAIN} --unlabeled p.txt"
COMPARE = "experiment compare --train t.txt -t t.yaml -t vector.yaml --folds 2 --resamples 100 --processes 1 --out com"
OF_VECTORS = "columns: [word, label]\nencoders: {done: {vectors: done}}\nfeatures: ['encoded(done[0])']\n"
MOVED = ("$ mkdir away hidden", "$ mv vector.model away", "$ mv v.txt hidden")
OF_2012 = "name 0 0 Kim NNP * - - - - (PERSON) -\n"
NOT_FOUND = "needs {} (SHA-256 {}…), which is not found: {}"
CASES: tuple[Case, ...] = (
    advised(f"{COMPARE} --report-only", "{}: {} of {} are not recorded: without --report-only they run",
        "without --report-only"),
    advised(COMPARE, "{}: {}. --again runs them again{}", "with --again", before=[COMPARE, "$ cp bob.txt t.txt"]),
    advised(COMPARE, "; --report-only writes the page as recorded", "with --report-only", "with --again",
        before=[COMPARE, "$ sed -i 's/\"code\": \"/&other/' com/runs.jsonl"]),
    advised(f"{TRAIN} --checkpoint far --set l2=3",
        "is of another training: {} was {} there, and is {} here (take another name for this training, or remove "
        "the file)", "without far with near", "$ rm far", "with"),
    advised(f"{TRAIN} --checkpoint near",
        "{} weights need a checkpoint of {} GiB (at most {}): a minimum_count (--set minimum_count=2) makes them fewer",
        "with --set minimum_count=5", bounds={"sstag.training.checkpoint.LARGEST": 2000}),
    advised(TRAIN, "{} attributes are too many (at most {}; --set minimum_count=2 makes them fewer)",
        "with --set minimum_count=5", bounds={"sstag.model.compiled.MOST_ATTRIBUTES": 10}),
    advised(TRAIN.replace("t.yaml", "all.yaml"),
        "{} weights are too many (at most {}): pairs or edge_pairs: observed, or a minimum_count (--set "
        "minimum_count=2), makes them fewer", "with --set minimum_count=5", "without all.yaml with t.yaml",
        files={"all.yaml": "columns: [word, label]\npairs: all\nfeatures: ['word[-1..1]']\n"},
        bounds={"sstag.model.compiled.MOST_WEIGHTS": 30}),
    advised(TRAIN, "more than {} GiB are too large for a model (--set minimum_count=2 makes it less)",
        "with --set minimum_count=9", bounds={"sstag.foundation.archive.LARGEST": 300}),
    advised("tag -m away/vector.model t.txt", NOT_FOUND, "$ cp hidden/v.txt away", "with", before=MOVED),
    advised("tag -m away/vector.model t.txt", "put it beside the model, or name the folder that it is in with {}",
        "SSTAG_VECTORS=hidden tag -m away/vector.model t.txt", before=MOVED),
    advised("train -t sub/t.yaml --train t.txt -m new",
        "{} needs {} to tag, and does not find it from where it lies: {}", "$ cp sub/other.txt .", "tag -m new t.txt",
        files={"sub/other.txt": VECTORS,
               "sub/t.yaml": "columns: [word, label]\nfeatures: ['vector(word[0], other.txt)']\n"}),
    advised("tag -m m long.txt", "a sentence of {} tokens needs {} GiB with this model (at most {}): split it",
        "without long.txt with short.txt", files={"long.txt": "Kim\nmet\n" * 50, "short.txt": "Kim\nmet\n\n" * 50},
        bounds={"sstag.model.runs.BUDGET": 20000}),
    advised("select --pool p.txt --strategy random --count 1 --spread k-means++ --meaning v.txt",
        "the vectors of {} sentences take {} GiB (at most {}): choose from a part of them",
        "without p.txt with part.txt", files={"part.txt": "Kim\n\nAnn\n\n"},
        bounds={"sstag.features.sentence_vectors.MOST_BYTES": 20}),
    advised("density three.txt --no-label -o d", "{} columns (at most {}): say which (--of A,B)", "with --of word",
        files={"three.txt": "Kim N\nmet V\n\n"}, bounds={"sstag.selection.density.file.MOST_COLUMNS": 1}),
    advised(f"{RAW} --method constraint-driven --rules many.yaml",
        "with this rule, once, contains and order have more than {} labels: name fewer",
        "without many.yaml with rules.yaml", files={"many.yaml": "penalty: 1\nrules:\n  - once: [B-PER, O]\n"},
        bounds={"sstag.knowledge.rule_costs.BITS": 1}),
    advised("train -t t.yaml --train long.txt.gz -m new",
        "{} in a stream or a compressed file: save it as a plain file", "$ gunzip long.txt.gz",
        "train -t t.yaml --train long.txt -m new", before=["$ gzip long.txt"], files={"long.txt": LABELLED * 99},
        bounds={"sstag.foundation.files.LARGEST_STREAM": 9}),
    advised("SSTAG_CACHE_GIB=0.0000001 encode t.txt --encoder mini",
        "the cache is full: some vectors are not kept (sstag cache shows what is there)", "cache"),
    advised("encode t.txt --encoder mini", "others may write here: take that right away (chmod go-w)",
        "$ chmod go-w cache/encoded", "with", before=["$ mkdir -p cache/encoded", "$ chmod 777 cache/encoded"]),
    advised("train -t file.yaml --train t.txt -m new", "no vectors of tokens (sstag encode makes them)",
        "encode t.txt --encoder mini -o done", "with",
        files={"done": "",
               "file.yaml": OF_VECTORS}),
    advised("train -t file.yaml --train t.txt -m new",
        "the vectors of this sentence are not in {}: sstag encode makes a file of them",
        "encode t.txt --encoder mini -o done", "with", before=["encode r.txt --encoder mini -o done"],
        files={"file.yaml": OF_VECTORS}),
    advised("train -t encoder.yaml --train t.txt -m new", ": unpack the archive, and name the folder with the weights",
        "$ mv mini mini.zip", "$ python3 -m zipfile -e mini.zip inner", "$ mv inner/mini mini", "with",
        before=["$ python3 -m zipfile -c mini.zip mini", "$ rm -r mini", "$ mv mini.zip mini"]),
    advised("encode t.txt --rows two.safetensors --name elmo -o v", "has {}: one is wanted, a row for each token",
        "without two.safetensors with one.safetensors",
        files={"two.safetensors": safetensors(a=np.ones((21, 2), np.float32), b=np.ones((21, 2), np.float32)),
                   "one.safetensors": safetensors(a=np.ones((21, 2), np.float32))}),
    advised("vectors --load m --near Kim", "a file of word vectors (sstag vectors makes them)",
        "vectors r.txt -o far", "vectors --load far --near met"),
    advised("experiment compare --train t.txt -t t.yaml -t typo.yaml --folds 2 --out c",
        "'{}' is not {}; did you mean '{}'?", "train -t right.yaml --train t.txt -m new",
        files={"typo.yaml": "columns: [word, label]\npairs: observd\nfeatures: ['word[0]']\n",
               "right.yaml": "columns: [word, label]\npairs: observed\nfeatures: ['word[0]']\n"}),
    advised(
        "train -t two.yaml --train two.txt --unlabeled two.txt -m new --method expectation --expectations mallet.txt",
        "'{}' stands in several columns: write {}, a tab, and the shares", "without mallet.txt with mended.tsv",
        files={"two.yaml": "columns: [word, other, label]\nfeatures: ['word[0]', 'other[0]']\n",
               "two.txt": "Kim Kim B-PER\nmet met O\n\n", "mallet.txt": "Kim B-PER:0.9 O:0.1\n",
               "mended.tsv": "word[0]=Kim\tB-PER:0.9 O:0.1\n"}),
    advised(f"{RAW} --method expectation --expectations rules.yaml", " (rules are for --rules)",
        f"{RAW} --method constraint-driven --rules rules.yaml"),
    advised(f"{RAW} --method expectation --expectations p.tsv",
        "{}: a token may be similar to several: label the prototype itself", "without p.tsv with l.tsv",
        files={"p.tsv": "similar(word[0], k.txt, v.txt, 0.5)=Kim\tB-PER\n", "k.txt": "Kim\n"}),
    advised("train -c steps.yaml", "'{}' is a label, and the name of a step: give the label another name",
        "train -c other.yaml",
        files={"same.txt": LABELLED.replace(" O", " same"), "steps.tsv": "word[0]=Kim\tsame:0.2\n",
               **{f"{name}.yaml": f"template: t.yaml\ntrain: {train}\nunlabeled: p.txt\nmodel: new\nmethod: composed\n"
               "objectives: [{likelihood: {}}, {expectation: {expectations: steps.tsv}}]\n"
               for name, train in (("steps", "same.txt"), ("other", "t.txt"))}}),
    advised("expectations -t t.yaml --train t.txt --ask --labels O,X -o a.tsv",
        "no such label: '{}'{}; --labels A,B,… names others",
        "expectations -t t.yaml --train t.txt --ask --labels O,X,PERSON -o a.tsv", stdin="PERSON\n" * 9),
    advised("train -t t.yaml --unlabeled p.txt -m new --rejected spans.tsv --method partial",
        "{}: nothing tells how the chunks of types are labelled: --train FILE or --init MODEL does",
        "with --train t.txt", "with --init m"),
    advised(f"{RAW} --on-disk . --labeled-features l.tsv --method partial",
        "looks at raw text that is whole in memory: leave out --on-disk, or the cluster", "without --on-disk ."),
    advised("train -t observed.yaml --unlabeled p.txt -m new --method expectation --expectations l.tsv",
        "pairs and edge_pairs: without labelled sentences none is observed: say all",
        "without observed.yaml with all.yaml",
        files={f"{name}.yaml": f"columns: [word, label]\npairs: {name}\nfeatures: ['word[0]']\n"
               for name in ("observed", "all")}),
    advised("train -c shares.yaml",
        "label-regularization needs the shares of the labels: labelled sentences (--train FILE), or a list of "
        "expectations with a line {}, a tab, A:0.7 B:0.3", "with --train t.txt", "train -c every.yaml",
        files={"every.tsv": "*\tO:0.6 B-PER:0.4\n",
               **{f"{name}.yaml": "template: t.yaml\nunlabeled: p.txt\nmodel: new\nmethod: composed\n"
               f"objectives: [{{expectation: {{expectations: l.tsv}}}}, {{label-regularization: {said}}}]\n"
               for name, said in (("shares", "{}"), ("every", "{expectations: every.tsv}"))}}),
    advised(f"{RAW} --method expectation --expectations mark.tsv",
        "'{}' is not one label: it contains a mark (--mark NAME=TEXT changes marks)", "with --mark either=/",
        files={"mark.tsv": "word[0]=Kim\tA|B\n"}),
    advised("convert a.conll --from-format conll2012 --to-format columns",
        "a line outside of a document: '#begin document (name); part 000' begins one", "without a.conll with b.conll",
        files={"a.conll": OF_2012, "b.conll": f"#begin document (name); part 000\n{OF_2012}\n#end document\n"}),
    advised("convert linked/a.ann --to-format columns", "is a link out of {}: put a copy in its place",
        "$ rm linked/a.txt", "$ cp outside.txt linked/a.txt", "with",
        files={"outside.txt": "Kim met Ann.", "linked/a.ann": "T1\tPER 0 3\tKim\n",
               "linked/a.txt": Path("../outside.txt")}),
    advised("convert folder --to-format columns", "is no plain file: take it out of the folder", "$ rm folder/b.txt",
        "with", files={"folder/a.txt": "Kim met Ann."}, before=["$ mkfifo folder/b.txt"]),
    advised("check sheet.txt", "its comments name columns that cannot be: {}; label {}",
        "without sheet.txt with mended.txt",
        files={"sheet.txt": "# global.columns = word word\nKim O\n",
               "mended.txt": "# global.columns = word label\nKim O\n"}),
)  # fmt: skip
