"""Advice about files that cannot be read or written as they are."""

from tests.advised import Case, advised

HMM = """labels: [y1, y2]
symbols: [a, b]
begin: [0.5, 0.5]
steps: [[0.5, 0.5], [0.3, 0.7]]
emissions: [[0.9, 0.1], [0.2, 0.8]]
"""
STUDIO = """[{"data": {"text": "Kim met"}, "annotations": [{"result": [
  {"type": "labels", "value": {"start": 0, "end": 3, "labels": %s}}]}]}]"""
CONVERT = "convert a.txt"
CASES: tuple[Case, ...] = (
    advised("convert t.txt -o t.txt", "is an input, and would be overwritten: choose another name",
        "without -o t.txt with -o other.txt"),
    advised("train -t t.yaml --train t.txt -m dev.txt", "exists and is no model: choose another name",
        "without dev.txt with new"),
    advised("train -t t.yaml --train t.txt -m new.gz",
        "a model is a file of its own, not compressed and not a pipe: choose another name", "without new.gz with new"),
    advised("features -t latin.yaml t.txt", "not UTF-8 (byte 0x{}): save it as UTF-8",
        "without latin.yaml with utf8.yaml",
        files={"latin.yaml": "columns: [word, label]\nfeatures: ['word[0]=ö']\n".encode("latin-1"),
               "utf8.yaml": "columns: [word, label]\nfeatures: ['word[0]']\n"}),
    advised("convert a.csv --from-format columns",
        "a carriage return inside a line (save the file with line ends of today)", "without a.csv with b.csv",
        files={"a.csv": "Kim\rmet O\n", "b.csv": "Kim O\nmet O\n"}),
    advised(f"{CONVERT} --to-format columns", "a binary file, or UTF-16 (--encoding)", "with --encoding utf-16-le",
        files={"a.txt": "Kim O\nmet O\n".encode("utf-16-le")}),
    advised(f"{CONVERT} --encoding latin-1 --to-format columns", "leave out {}", "without --encoding latin-1",
        files={"a.txt": "\ufeffKim O\nmet O\n"}),
    advised("convert a.ann --to-format columns", "no span: a line is T1, tab, type, start, end, tab, text",
        "convert b.ann --to-format columns",
        files={"a.txt": "Kim met", "a.ann": "T1 PER 0 3 Kim\n", "b.txt": "Kim met", "b.ann": "T1\tPER 0 3\tKim\n"}),
    advised("convert a.jsonl --from-format doccano --to-format columns",
        "{} is {}, not [start, end, label] or an object with these", "without a.jsonl with b.jsonl",
        files={"a.jsonl": '{"text": "Kim met", "label": ["PER"]}\n',
               "b.jsonl": '{"text": "Kim met", "label": [[0, 3, "PER"]]}\n'}),
    advised("convert a.json --to-format columns", "{}.{} is empty: a region needs a label",
        "without a.json with b.json",
        files={name: STUDIO % labels for name, labels in (("a.json", "[]"), ("b.json", '["PER"]'))}),
    advised("select --pool pos.txt -m m --strategy entropy --count 1 -o s.txt",
        "{} is where the model has its label, but holds none of its: `sstag convert --keep {}` drops it",
        "convert pos.txt --keep word -o words.txt",
        "select --pool words.txt -m m --strategy entropy --count 1 -o s.txt",
        files={"pos.txt": "Kim N\nmet V\n\nBob N\n\n"}),
    advised("select --pool p.txt -m vector.model --strategy span-entropy --spans --spread k-means++ --count 2",
        "spans have no meaning of their own: spread or compare whole sentences", "without --spans with",
        "without --spread k-means++"),
    advised("clusters p.txt --no-label -o c", "more than {} tokens: take a part of them",
        "clusters few.txt --no-label -o c", files={"few.txt": "Ann\nmet\n\n" * 3},
        bounds={"sstag.features.words.bigrams.MOST_TOKENS": 9}),
    advised("vectors p.txt --no-label --least 1 --dimensions 2 -o v",
        "{} words are too many for {} dimensions: leave out rare ones", "without 1 with 2",
        bounds={"sstag.features.words.context_vectors.MOST_NUMBERS": 9}),
    advised(
        "experiment curve --pool p.txt --test t.txt -t t.yaml --strategy random --count 1 --draws 1 --processes 1 "
        "--out c", "no column '{}': the simulation needs labels (columns: {})", "without p.txt with t.txt"),
    advised(
        "experiment compare --train p.txt -t t.yaml --method crf --method maxent --folds 2 --processes 1 "
        "--resamples 100 --out c", "no column '{}': a comparison needs labels", "without p.txt with t.txt"),
    advised("sample hmm h --matrices bad.yaml --train 2", "'{}' needs a row for each of the {} labels",
        "without bad.yaml with good.yaml",
        files={"bad.yaml": HMM.replace("[[0.5, 0.5], [0.3, 0.7]]", "[[0.5, 0.5]]"), "good.yaml": HMM}),
    advised("eval t.txt sure.jsonl --calibration",
        "read as {}, its labels make other chunks than those whose probability is known (`sstag tag --confidence "
        "--format jsonl` writes labels and probabilities that belong together)",
        "tag -m m t.txt --confidence --format jsonl -o sure.jsonl", "with",
        before=["$ sed -i 's/\"chunks\": .*/\"chunks\": []}/' sure.jsonl"]),
    advised("check a.txt --scheme iob2", "{}: {} more (--most {} shows all)", "with --most 60",
        files={"a.txt": "Kim I-PER\n\n" * 30}, code=1),
)  # fmt: skip
