"""The two rules that make every tag scheme: where a chunk ends between two tags, and how a tag is written."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Scheme:
    """A tag scheme: a line of help, and the letters that its tags begin with, in the order of its labels."""

    help: str
    roles: str


SCHEMES = {
    "iob1": Scheme("B only where a chunk follows another of its type, else I (CoNLL-2003)", "BI"),
    "iob2": Scheme("B at the first token of every chunk (CoNLL-2000, most corpora)", "BI"),
    "ioe1": Scheme("E only where a chunk of its type follows, else I", "IE"),
    "ioe2": Scheme("E at the last token of every chunk", "IE"),
    "bioes": Scheme("B first, I inside, E last, S single", "BIES"),
    "bmes": Scheme("B first, M inside, E last, S single (word segmentation)", "BMES"),
    "io": Scheme("I everywhere: neighbours of one type are one chunk", "I"),
    "plain": Scheme("labels without a scheme: a run of one label is one chunk, O is outside", "I"),
}
CONLLEVAL = "conlleval"  # no scheme to write: whatever mixture of B, I and E `conlleval` can cut
READ = {
    **SCHEMES,
    # M stands for every other prefix: the script divides such tags by their type alone.
    CONLLEVAL: Scheme("tags as the script `conlleval` reads them", "BIEM"),
}
ROLES = "OBIMES"  # every letter of a scheme, and O
UNDECIDED = -1  # the code of a token whose tag is not known: outside every chunk, legal beside everything


def scheme_name(scheme: str) -> str:
    """The name of a scheme as a report writes it."""
    return "plain labels" if scheme == "plain" else scheme.upper()


def is_divided(left: str, right: str, same_type: bool, scheme: str) -> bool:
    """Whether a chunk ends between two neighbours, given their roles and whether their types agree."""
    if left == "O" or right == "O" or not same_type:
        return True
    if scheme in ("bioes", "bmes"):
        return left in "ES" or right in "BS"
    return (left in "BI" and right == "B") or (left == "E" and right in "EI")


def written_role(scheme: str, starts: bool, ends: bool, after_same: bool, before_same: bool) -> str:
    """The role of a token in a chunk: is it the first, the last, and does the chunk touch one of its type there?"""
    match scheme:
        case "iob1":
            return "B" if starts and after_same else "I"
        case "iob2":
            return "B" if starts else "I"
        case "ioe1":
            return "E" if ends and before_same else "I"
        case "ioe2":
            return "E" if ends else "I"
        case "bioes" | "bmes":
            return "S" if starts and ends else "B" if starts else "E" if ends else "I" if scheme == "bioes" else "M"
    return "I"


def is_legal(left: str, right: str, same_type: bool, scheme: str) -> bool:
    """Whether some well-formed sequence has these neighbours; the edge of a sentence is an O."""
    cut = is_divided(left, right, same_type, scheme)
    touch = cut and same_type and "O" not in (left, right)
    free = [(False, False), (True, False), (True, True)]  # a token's other side
    return (left == "O" or any(written_role(scheme, s, cut, a, touch) == left for s, a in free)) and (
        right == "O" or any(written_role(scheme, cut, e, touch, b) == right for e, b in free)
    )
