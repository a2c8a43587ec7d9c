"""Advice about files: formats, columns, keys, encodings, and mistyped names."""

import json

from tests.advised import Case

LABELLED = "Kim B-PER\nmet O\nAnn B-PER\n. O\n\nBob B-PER\nleft O\n. O\n\n" * 3
SHORT = {"t.txt": LABELLED, "t.yaml": "columns: [word, label]\nfeatures: ['word[-1..1]']\n"}
TRAIN = ("train", "-t", "t.yaml", "--train", "t.txt", "-m", "m")
TWO = json.dumps({"text": "Kim met", "label": [{"start": 0, "end": 3, "label": "P", "user": u} for u in ("a", "b")]})
WEBANNO = (
    "#FORMAT=WebAnno TSV 3.3\n#T_SP=a.b.X|value\n#T_SP=a.b.Y|value\n\n\n#Text=Kim met\n"
    "1-1\t0-3\tKim\tP\tQ\t\n1-2\t4-7\tmet\t_\t_\t\n"
)
VECTORS = "Kim 1 0\nmet 0 1\nAnn 1 1\nBob 1 0.5\nleft 0 0.9\n. 0.1 0.1\n"


def read(name: str, *more: str) -> tuple[str, ...]:
    return ("convert", name, "--to-format", "columns", *more)


def spans(*labels: object, **more: object) -> str:
    return json.dumps({"text": "Kim met Ann", "label": labels, **more}) + "\n"


CASES = {
    "a name of sentences": Case(
        {"a.csv": "word,n,label\nKim,1,O\n"}, read("a.csv", "--key", "sentence=x"), "(--key sentence=NAME)",
        then=[read("a.csv", "--key", "sentence=n")],
    ),
    "the text of doccano": Case(
        {"a.jsonl": '{"body": "Kim met", "label": []}\n'}, read("a.jsonl", "--from-format", "doccano"),
        "(--key text=NAME names it)", added=[["--key", "text=body"]],
    ),
    "the spans of doccano": Case(
        {"a.jsonl": '{"text": "Kim met", "own": []}\n'}, read("a.jsonl", "--key", "spans=x"), "(--key spans=NAME)",
        then=[read("a.jsonl", "--key", "spans=own")],
    ),
    "units of offsets": Case(
        {"a.jsonl": json.dumps({"text": "😀 Kim met", "label": [{"start": 3, "end": 6, "label": "P", "text": "Kim"}]})},
        read("a.jsonl"), "(--offsets utf16?)", added=[["--offsets", "utf16"]],
    ),
    "JSON is no columns": Case(
        {"a b.txt": spans([0, 3, "P"])}, read("a b.txt", "--from-format", "columns"), "this is JSON, not columns: ",
    ),
    "a pair is no columns": Case(
        {"a.txt": '["Kim met", {"entities": [[0, 3, "P"]]}]\n'}, read("a.txt", "--from-format", "columns"),
        "this is JSON, not columns: ",
    ),
    "WebAnno is no columns": Case(
        {"a.txt": WEBANNO.replace("#T_SP=a.b.Y|value\n", "").replace("\tQ\t", "\t").replace("_\t_", "_")},
        read("a.txt", "--from-format", "columns"), "this is no column file: ",
    ),
    "CSV is no columns": Case(
        {"a.txt": "word,label\nKim,P\nmet,O\n"}, read("a.txt", "--from-format", "columns"),
        "this is CSV, not columns: ",
    ),
    "JSON in a stream": Case(
        {}, read("-", "--from-format", "columns"), "this is JSON, not columns: ", stdin=spans([0, 3, "P"]),
        then=[read("-", "--from-format", "doccano")],
    ),
    "perhaps prose": Case(
        {"a.txt": "Rise of machines\nFall of empires and\n"}, read("a.txt", "--from-format", "columns"),
        "is this prose? ",
    ),
    "perhaps prose of one length": Case(
        {**SHORT, "r.txt": "Rise of machines\nFall of empires\n"},
        (*TRAIN, "--method", "self-training", "--unlabeled", "r.txt"), "is this prose? ",
    ),
    "an option of prose": Case(
        {"a.txt": "Rise of machines\nFall of empires\n"}, read("a.txt", "--documents", "line"), "is this prose? ",
    ),
    "the text of Label Studio": Case(
        {"a.json": '[{"data": {"body": "Kim met"}}]'}, read("a.json", "--key", "text=x"), "(--key text=NAME names it)",
        then=[read("a.json", "--key", "text=body")],
    ),
    "the text of Prodigy": Case(
        {"a.jsonl": '{"body": "Kim met", "answer": "accept"}\n'}, read("a.jsonl", "--from-format", "prodigy"),
        "(--key text=NAME names it)", added=[["--key", "text=body"]],
    ),
    "a long document": Case(
        {"a.txt": "They met and left. \n" * 40}, read("a.txt"), "(--documents blank or line)",
        added=[["--documents", "line"]], bounds={"sstag.corpus.formats.prose.LONGEST": 100},
    ),
    "a long sentence": Case(
        {"a.txt": "They met and left and met and left and met\nand left and met and left and met and left.\n"},
        read("a.txt"), "are the most (--sentences line or blank)", added=[["--sentences", "line"]],
        bounds={"sstag.corpus.text.document_blocks.MOST_TOKENS": 15},
    ),
    "layers of WebAnno": Case(
        {"a.tsv": WEBANNO}, read("a.tsv"), "--key layer=NAME names one of", added=[["--key", "layer=a.b.X"]],
    ),
    "columns that are too many": Case(
        {**SHORT, "t.txt": "Kim N B-PER\nmet V O\n\n"}, TRAIN, "or drop some (sstag convert --keep)",
        then=[("convert", "t.txt", "--keep", "word,label", "-o", "u.txt"),
              ("train", "-t", "t.yaml", "--train", "u.txt", "-m", "m")],
    ),
    "a column without a name": Case(
        SHORT, ("check", "t.txt", "--label", "ner"), "(--columns names them)", added=[["--columns", "word,ner"]],
    ),
    "annotators": Case({"a.jsonl": TWO}, read("a.jsonl"), "(--annotators a,b makes a column of each)",
                       added=[["--annotators", "a,b"]]),
    "room for one annotator": Case(
        {"a.jsonl": TWO}, ("convert", "a.jsonl", "--to-format", "webanno"), "room for one (--annotators)",
        added=[["--annotators", "a"]],
    ),
    "an encoding": Case({"a.txt": "Größe O\n".encode("latin-1")}, read("a.txt"), "if it is latin-1, ",
                        added=[["--encoding", "latin-1"]]),
    "a mark of another encoding": Case(
        {"a.txt": "Größe O\n".encode("utf-16")}, read("a.txt", "--encoding", "latin-1"), "--encoding utf-16 reads it",
        then=[read("a.txt", "--encoding", "utf-16")],
    ),
    "words of tokens": Case(
        {"a.jsonl": '{"toks": "Kim", "own": ["Kim", "met"]}\n'}, read("a.jsonl", "--from-format", "tokens"),
        "(--key tokens=NAME names it)", added=[["--key", "tokens=own"]],
    ),
    "numbers as tags": Case(
        {"a.jsonl": '{"tokens": ["Kim", "met"], "tags": [1, 0]}\n'}, read("a.jsonl"),
        "--tag-names A,B,… says what numbers stand for", added=[["--tag-names", "O,B-P"]],
    ),
    "too few names of tags": Case(
        {"a.jsonl": '{"tokens": ["Kim", "met"], "tags": [1, 0]}\n'}, read("a.jsonl", "--tag-names", "O"),
        "but --tag-names has", then=[read("a.jsonl", "--tag-names", "O,B-P")],
    ),
    "a folder to write": Case(
        {"a.jsonl": spans([0, 3, "P"])}, ("convert", "a.jsonl", "--to-format", "brat"), "--output names it",
        added=[["--output", "folder"]],
    ),
    "a cut token": Case({"a.jsonl": spans([0, 2, "P"])}, read("a.jsonl"), "(--cut expand, shrink or split)",
                        added=[["--cut", way] for way in ("expand", "shrink", "split")]),
    "spans that overlap": Case(
        {"a.jsonl": spans([0, 7, "P"], [4, 11, "Q"])}, read("a.jsonl"), "(--overlaps outermost or innermost)",
        added=[["--overlaps", way] for way in ("outermost", "innermost")],
    ),
    "pieces of a span": Case(
        {"a.txt": "Kim met Ann", "a.ann": "T1\tP 0 3;8 11\tKim Ann\n"}, read("a.ann"),
        "(--discontinuous join makes one span of them)", added=[["--discontinuous", "join"]],
    ),
    "one document in WebAnno": Case(
        {"a.jsonl": spans([0, 3, "P"]) * 2}, ("convert", "a.jsonl", "--to-format", "webanno", "--output", "o"),
        "end the name of --output with /",
        then=[("convert", "a.jsonl", "--to-format", "webanno", "--output", "o/")],
    ),
    "comments": Case({"a.txt": "# one two three\nKim O\nmet O\n"}, read("a.txt"), "--comments '#' reads them so",
                     added=[["--comments", "#"]]),
    "numbers as labels": Case(
        {"a.txt": "Kim P P 0.9\nmet O O 0.8\n"}, ("eval", "a.txt"), "(--gold and --predicted name columns)",
        added=[["--predicted", "3", "--gold", "2"]],
    ),
    "one column for both": Case(
        {"a.txt": "Kim P P\nmet O O\n"}, ("eval", "a.txt", "--gold", "3"), "(--gold, --predicted)",
        then=[("eval", "a.txt", "--gold", "2", "--predicted", "3")],
    ),
    "other predictions": Case(
        {**SHORT, "p.jsonl": '{"word": 3}\n'}, ("eval", "t.txt", "p.jsonl"),
        "is this what `sstag tag --format jsonl` writes?",
        then=[TRAIN, ("tag", "-m", "m", "t.txt", "--format", "jsonl", "-o", "p.jsonl"), ("eval", "t.txt", "p.jsonl")],
    ),
    "a guessed scheme": Case({"a.txt": "Kim B-P B-P\nmet O O\n"}, ("eval", "a.txt"), "--scheme names another",
                             added=[["--scheme", "iob1"]]),
    "a file called as a template": Case(
        {"ner": "Kim O\n", "t.txt": LABELLED}, ("train", "-t", "ner", "--train", "t.txt", "-m", "m"),
        "`sstag template ner -o ner.yaml`",
        then=[("template", "ner", "-o", "ner.yaml"), ("features", "-t", "ner.yaml", "four.txt")],
    ),
    "the meaning of sentences": Case(
        {**SHORT, "v.txt": VECTORS},
        ("select", "--pool", "t.txt", "--label", "label", "--strategy", "random", "--spread", "k-means++",
         "--count", "2"),
        "a file of vectors (--meaning)", added=[["--meaning", "v.txt"]],
    ),
    "a pool with another last column": Case(
        {"p.txt": "Kim N\nmet V\n\n"}, ("select", "--pool", "p.txt", "--strategy", "random", "--count", "1"),
        "--columns names all columns", added=[["--label", "label"], ["--no-label"], ["--columns", "word,pos,label"]],
    ),
    "one source": Case(SHORT, ("agree", "t.txt"), "name two files or more", added=[["t.txt"]]),
    "no tag of a scheme": Case(
        {"a.txt": "Kim X-P\nmet O\n"}, ("agree", "a.txt", "a.txt", "--scheme", "iob2"), "(--scheme)",
        then=[("agree", "a.txt", "a.txt", "--scheme", "plain")],
    ),
    "a tag of another scheme": Case(
        {"a.txt": "Kim S-P\nmet O\n"}, ("convert", "a.txt", "--from-scheme", "iob2", "--to-scheme", "io"),
        "(--from-scheme names the scheme)",
        then=[("convert", "a.txt", "--from-scheme", "bioes", "--to-scheme", "io")],
    ),
    "ill-formed tags": Case(
        {"a.txt": "Kim O\nmet I-P\nAnn B-P\n"}, ("convert", "a.txt", "--from-scheme", "iob2", "--to-scheme", "bioes"),
        "(--repair mends them)", added=[["--repair"]],
    ),
    "undecided labels": Case(
        {**SHORT, "t.txt": LABELLED + "Eve B-PER|O\n"}, TRAIN, "--method partial|", added=[["--method", "partial"]],
    ),
    "undecided labels, decided": Case(
        {**SHORT, "t.txt": LABELLED + "Eve B-PER|O\n"}, TRAIN, "; --no-marks, if it is one",
        added=[["--no-marks"], ["--ambiguous", "argmax"]],
    ),
    "a mark in a label": Case({"a.txt": "Kim A|B\nmet O\n"}, ("check", "a.txt"), "if it is one label, --no-marks",
                              added=[["--no-marks"]]),
    "raw text": Case({**SHORT, "r.txt": "Ann met Kim.\nThey left.\n"},
                     (*TRAIN, "--method", "self-training"), "(--unlabeled FILE)", added=[["--unlabeled", "r.txt"]]),
    "labelled sentences": Case(
        {**SHORT, "r.txt": "Ann met Kim.\nThey left.\n"},
        ("train", "-t", "t.yaml", "-m", "m", "--method", "self-training", "--unlabeled", "r.txt"),
        "(--train FILE)", added=[["--train", "t.txt"]],
    ),
    **{
        f"a list for {method}": Case(
            {**SHORT, "r.txt": "Ann met Kim.\nThey left.\n", "l.tsv": "word[0]=Kim\tB-PER\n"},
            (*TRAIN, "--method", method, "--unlabeled", "r.txt"), "(--expectations FILE)",
            added=[["--expectations", "l.tsv"]],
        )
        for method in ("expectation", "expected-gradient")
    },
    "weights of sentences": Case(
        {**SHORT, "w": "1\n" * 6}, (*TRAIN, "--method", "weighted"), "(--sentence-weights FILE)",
        added=[["--sentence-weights", "w"]],
    ),
    "rules": Case(
        {**SHORT, "r.txt": "Ann met Kim.\nThey left.\n", "r.yaml": "penalty: 1\nrules:\n  - once: [B-PER]\n"},
        (*TRAIN, "--method", "constraint-driven", "--unlabeled", "r.txt"), "(--rules FILE)",
        added=[["--rules", "r.yaml"]],
    ),
    "a number of sentences": Case(
        {"p.txt": "Kim\nmet\n\n"}, ("select", "--pool", "p.txt", "--strategy", "random", "--sentences", "1"),
        "did you mean '--count 1'?",
        then=[("select", "--pool", "p.txt", "--strategy", "random", "--count", "1")],
    ),
    "a parameter": Case(SHORT, (*TRAIN, "--l2", "2"), "write --set l2=…", then=[(*TRAIN, "--set", "l2=2")]),
    "a mistyped format": Case(SHORT, read("t.txt", "--from-format", "colums"), "did you mean 'columns'?",
                              then=[read("t.txt", "--from-format", "columns")]),
    "a mistyped method": Case(SHORT, (*TRAIN, "--method", "partiall"), "did you mean 'partial'?",
                              then=[(*TRAIN, "--method", "partial")]),
    "a mistyped encoding": Case(SHORT, read("t.txt", "--encoding", "latn-1"), "did you mean 'latin-1'?",
                                then=[read("t.txt", "--encoding", "latin-1")]),
    "a mistyped key": Case(
        {**SHORT, "r.yaml": "template: t.yaml\ntrain: t.txt\nmodel: m\nmethd: crf\n",
         "s.yaml": "template: t.yaml\ntrain: t.txt\nmodel: m\nmethod: crf\n"},
        ("train", "-c", "r.yaml"), "did you mean 'method'?", then=[("train", "-c", "s.yaml")],
    ),
    "ill-formed labels in training": Case(
        {**SHORT, "t.txt": LABELLED + "Kim O\nmet I-PER\n"}, TRAIN, "`sstag convert --repair` mends ill-formed ones",
        then=[("convert", "--repair", "t.txt", "-o", "u.txt"), ("check", "u.txt", "--scheme", "iob2")],
    ),
}  # fmt: skip
