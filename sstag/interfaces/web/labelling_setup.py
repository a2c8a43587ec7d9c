"""The setup of a project in Label Studio: the names of its labels, of the control that gives them, and of the text."""

from dataclasses import dataclass
from xml.parsers import expat

from sstag.foundation.errors import DataError

WANTED = "a <Labels> control over one <Text> is wanted"


@dataclass(frozen=True)
class LabellingSetup:
    """The names that regions of a project have, and the key of the text in its tasks."""

    control: str
    target: str
    key: str
    labels: tuple[str, ...]  # none: each task brings its own

    def has(self, label: str) -> bool:
        """Whether a region of the project can have this label."""
        return not self.labels or label in self.labels


def labelling_setup(xml: str) -> LabellingSetup:
    """The setup in a labelling configuration; one without spans of text is an error."""
    texts: dict[str, str] = {}
    controls: list[tuple[str, str, list[str]]] = []
    around: list[str] = []  # the tags that are open

    def begun(tag: str, said: dict[str, str]) -> None:
        if tag == "Text":
            texts[said.get("name", "")] = said.get("value", "").removeprefix("$")
        elif tag == "Labels":
            controls.append((said.get("name", ""), said.get("toName", ""), []))
        elif tag == "Label" and "Labels" in around:
            controls[-1][2].extend(said[name] for name in ("alias", "value") if said.get(name))  # a region has either
        around.append(tag)

    def ended(tag: str) -> None:
        around.pop()

    def refused(*_: object) -> None:
        raise DataError("the labelling configuration declares a document type: no project has that")

    parser = expat.ParserCreate()
    parser.StartElementHandler = begun
    parser.EndElementHandler = ended
    parser.StartDoctypeDeclHandler = refused
    try:
        parser.Parse(xml, True)
    except expat.ExpatError as error:
        raise DataError(f"the labelling configuration is no XML: {error}") from error
    found = [(name, target, labels) for name, target, labels in controls if target in texts]
    if len(found) != 1:
        raise DataError(f"the labelling configuration has {len(found)} controls for spans of text: {WANTED}")
    control, target, labels = found[0]
    return LabellingSetup(control, target, texts[target], tuple(labels))
