"""Advice about projects of the workbench, as far as no page is opened."""

from tests.advised import Case, advised

NEW = "annotate p.txt --labels PER --template t.yaml --project new --import r.txt --import-as pool"
AGAIN = "annotate p.txt --project work --import named.jsonl"
FRESH = "a new project has another one, and takes the answers of this one in (sstag export, --import)"
TAMPER = (
    "$ python3 -c \"import sqlite3; file = sqlite3.connect('work/project.db');"
    " file.execute('update setting set value = ? where name = ?', [{}]); file.commit()\""
)
DAMAGE = (
    "$ python3 -c \"file = open('work/project.db', 'r+b'); file.seek(8192); file.write(b'x' * 4096); file.close()\""
)
DECIDED = (
    'python "from sstag.interfaces.annotate.project import opened; from sstag.interfaces.annotate.answers import *\n'
    "work = opened('work'); text = work.pool.text(0); ground = Ground(('PER', 'LOC'), 'iob2', lambda hash: 4, str)\n"
    "span = {'first': 0, 'stop': 1, 'labels': ['PER']}\n"
    "decision = answer_in({'key': 'd', 'kind': 'decision', 'text': text.hash, 'spans': [span]}, ground)\n"
    "work.text(text.hash); work.store.keep(work.store.begin('eve'), [decision]); work.close()\""
)
OF_LISTS = "--train '--expectations l.tsv --unlabeled p.txt --method expectation'"
CASES: tuple[Case, ...] = (
    advised("annotate --project work --import-as pool", "--import-as is for --import", "with --import r.txt"),
    advised("annotate --project work --remove-as open", "--remove-as is for --remove-label", "with --remove-label LOC"),
    advised("annotate p.txt --project work --recover",
        "--recover goes with --project, and with --labels, --scheme and --template if lost", "without p.txt",
        "without p.txt with --labels PER,LOC --scheme iob2 --template t.yaml"),
    advised("annotate p.txt --project new --import r.txt --import-as pool", "a new project needs {}",
        "with --labels PER --template t.yaml"),
    advised("annotate --project work --rename-label PER", "'{}': write OLD=NEW",
        "annotate --project work --rename-label PER=PERSON"),
    advised("annotate --project work --remove-label PER", "{}: --remove-as {}", "with --remove-as open"),
    advised("annotate --project work --remove-label PER", "'{}' is in answers about {}: say what their tokens become",
        "with --remove-as outside"),
    advised(f"{AGAIN} --labels PER,LOC,ORG", "--add-labels {} with --project alone adds what is missing",
        "annotate --project work --add-labels ORG", "with"),
    advised("annotate p.txt --project work --import r.txt --import-as pool --labels PERSON,LOC",
        "--add-labels, --rename-label and --remove-label with --project alone change them",
        "annotate --project work --rename-label PER=PERSON", "with"),
    advised(f"{AGAIN} --labels PER,LOC --template t.yaml --scheme plain", FRESH,
        "export work --to-format doccano -o old.jsonl",
        "annotate p.txt --labels PER,LOC --template t.yaml --scheme plain --project new --import old.jsonl"),
    advised(f"{AGAIN} --labels PER,LOC --template vector.yaml",
        "is not the template that the project was begun with: a new project has another one, and takes the export "
        "of this one in", "export work --to-format doccano -o old.jsonl",
        "annotate p.txt --labels PER,LOC --template vector.yaml --project new --import old.jsonl"),
    advised(AGAIN, "--import {} --import-as pool adds its texts",
        "annotate --project work --import p.txt --import-as pool", files={"p.txt": "Eve\nleft\n\n"}),
    advised("annotate t.txt --project work --import named.jsonl", "--import {} --import-as pool adds its texts",
        "annotate --project work --import t.txt --import-as pool"),
    advised("export work --to-format prodigy -o o.jsonl",
        "not written: {}, beside what each annotator says (--together)", "with --together", before=[DECIDED]),
    advised("annotate p.txt --labels PER,LOC --template t.yaml --project new --rename-label PER=PERSON",
        "the trainings of this project read a file that may name labels ({}): begin a new project",
        "export new --to-format doccano -o old.jsonl", "$ sed -i s/PER/PERSON/ old.jsonl",
        "annotate p.txt --labels PERSON,LOC --template t.yaml --project other --import old.jsonl",
        before=[f"{NEW.replace('PER', 'PER,LOC')} {OF_LISTS}", "annotate --project new --import named.jsonl"]),
    advised("annotate --project work --import named.jsonl", "is a journal, and projects have none: remove it",
        "$ rm work/project.db-journal", "with", files={"work/project.db-journal": "x"}),
    advised("annotate --project work --import named.jsonl", "sstag annotate --project {} --recover keeps what is whole",
        "annotate --project work --recover", "with", before=[DAMAGE]),
    advised("annotate --project work --recover", "name what is lost: --labels A,B, --scheme SCHEME, --template FILE",
        "with --labels PER,LOC", before=[TAMPER.format("'1', 'labels'")]),
    advised("annotate --project work --import named.jsonl",
        "remove it, and add the file again (--import FILE --import-as pool)", "$ rm -r work/pool/0001",
        "annotate --project work --import p.txt --import-as pool", "with",
        before=["$ truncate -s 3 work/pool/0001/offsets"]),
    advised("annotate p.txt --labels PER,O --template t.yaml --project new --import r.txt --import-as pool",
        "O is the label of what is in no span: leave it out of --labels", "without PER,O with PER"),
    advised("annotate p.txt --labels PER,PER --template t.yaml --project new --import r.txt --import-as pool",
        "labels are 1 to {} names, none of them twice (--labels PER,ORG)", "without PER,PER with PER,ORG"),
    advised(f"{NEW} --train '--tune template=ner,pos'",
        "the trainings of a project try values of parameters, no files or templates (--tune)",
        f"{NEW} --train '--tune l2=1,2'"),
    advised("export work --to-format doccano -o o.jsonl",
        "{} has no names of annotators: {} as decided, or as all of them see it (--annotators)",
        "with --annotators ann", "with --annotators bob"),
    advised("export none --to-format doccano -o o.jsonl", "there is no project in it (`{}` begins one)",
        "annotate raw.txt --template ner --labels PER,ORG --project none --import r.txt --import-as pool",
        files={"none/x": ""}),
    advised("export none --to-format doccano -o o.jsonl",
        "sstag annotate raw.txt --template ner --labels PER,ORG --project {}",
        "annotate raw.txt --template ner --labels PER,ORG --project none --import r.txt --import-as pool"),
)  # fmt: skip
