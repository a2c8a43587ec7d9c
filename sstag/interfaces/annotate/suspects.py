"""The search for answers that may be wrong, in a process of its own: `python -m sstag.interfaces.annotate.suspects`.

Models of the other texts are asked about each answered text (`selection/suspects.py`).
"""

import json
import sys
from dataclasses import dataclass
from typing import ClassVar

from sstag.corpus.reading import read
from sstag.features.reading import load_template
from sstag.foundation.errors import SstagError
from sstag.foundation.files import output
from sstag.foundation.json_values import Json
from sstag.foundation.parallel import one_by_one
from sstag.foundation.ranges import sentence_of
from sstag.interfaces.annotate.saying import OUTSIDE
from sstag.interfaces.annotate.suggester import DIGITS
from sstag.interfaces.web.child import behind_the_server
from sstag.labels.marks import Marks
from sstag.labels.schemes.tagset import tolerant_tagset
from sstag.selection.support import supported_places
from sstag.selection.suspects import OutOfFold, out_of_fold
from sstag.training.inputs import Inputs, Run
from sstag.training.methods.completion import completed
from sstag.training.run import Task

METHOD, FOLDS, SEED = "partial", 5, 1
FEWEST = 20  # answered texts: models of fewer contradict everything that they see once
MOST = 10  # places that are shown


@dataclass(frozen=True)
class Search:
    """A search as the child is asked for it."""

    child: ClassVar[str] = "sstag.interfaces.annotate.suspects"

    file: str  # answered texts, the first of which is no text but names all labels
    texts: list[str]  # the hashes of the others
    template: str
    scheme: str
    result: str
    model: int | None  # at work when it began


def main() -> None:
    """Writes the suspects as JSON; a line on standard error says what is wrong, if something is."""
    search = Search(**json.loads(behind_the_server()))
    try:
        template = load_template(search.template)
        inputs = Inputs(template, read(search.file, template.layout(search.file)), marks=Marks())
        task = Task(inputs, METHOD, completed(METHOD, {}), SEED)
        found = out_of_fold(task, FOLDS, Run(one_by_one, lambda progress: None))
        with output(search.result) as out:
            out.write(json.dumps(_said(search, found)).encode())
    except SstagError as error:
        sys.stderr.write(f"{error}\n")
        sys.exit(1)


def _said(search: Search, found: OutOfFold) -> list[Json]:
    """The places whose labels are doubted, the surest first."""
    kinds = tolerant_tagset(found.labels, search.scheme)
    result: list[Json] = []

    def names(labels: list[int]) -> list[str]:
        types = [OUTSIDE if kinds.type[label] < 0 else kinds.types[kinds.type[label]] for label in labels]
        return list(dict.fromkeys(types))

    supported = supported_places(found, kinds.type)
    supported = supported[found.places[supported, 0] >= found.text.corpus.offsets[1]][:MOST]  # the first is no text
    for (first, last), given in zip(found.places[supported].tolist(), found.of_given[supported].tolist(), strict=True):
        sentence = sentence_of(found.text.corpus.offsets, first)
        begin = int(found.text.corpus.offsets[sentence])
        codes = found.text.codes[first : last + 1].tolist()
        result.append(
            {
                "text": search.texts[sentence - 1],
                "first": first - begin,
                "stop": last + 1 - begin,
                "given": [*names([label for code in codes for label in found.text.sets.allowed_labels[code]])],
                "found": [*names(found.found[first : last + 1].tolist())],
                "probability": round(given, DIGITS),
            }
        )
    return result


if __name__ == "__main__":
    main()
