"""Whether the first lines of a file are prose: sentences of words, and neither tokens with labels nor a table.

A file of columns has the same number of fields on each line of a token. So lines of different lengths can only be
prose, or columns with a mistake; the ends of the lines and how much their lengths differ decide between the two. Lines
of one length are columns, unless they end as sentences do.
"""

import re
from collections import Counter
from collections.abc import Sequence
from statistics import median

HEAD = 8192  # bytes that are looked at, cut after the last whole line
COLUMN_NAMES = re.compile(r"\.(tsv|tab|cols?|columns|conll\w*|iob\d?|bio\w*|ann)(\.gz)?$", re.IGNORECASE)
OTHER_BEGINS = ("<", "{", "[{", "%YAML", "---\n", "-DOCSTART-")  # XML, JSON, YAML, and the mark of column files
COMMENT = re.compile(r"#[ \t]+[A-Za-z_][\w.:-]*[ \t]+=(\s|$)")
BLANK = re.compile("[ \t\r\n\v\f]+")  # what separates columns
CLOSED = "[\"'”’»›)\\]]*"
ENDED = re.compile(rf"[^\W_]{CLOSED}[.!?…]+{CLOSED}$")  # the last field of a line that ends as a sentence
ALONE = re.compile(rf"[.!?…]+{CLOSED}$|[\"'”’»]+$")  # such a field, if tokens were made before
STOPS, LAST_STOPS, CLOSERS = "。！？｡", "。！？｡．", "」』”’）)"  # of scripts without blanks
STOP, TWO, ONE = re.compile(f"[{STOPS}]"), re.compile(r"\w{2}"), re.compile(r"\w")
OUTSIDE = "O"  # a word in Portuguese, which begins sentences
LABEL = re.compile(r"[BIESLUM]-[A-Z]\S*")
TAGGED = re.compile(r"\S+[/_|\\](O|[BIESLUM]-\S+|[A-Z][A-Z$-]{0,9}|[.,:;?!`']+)")  # the/DT, Ann_NNP, met|O
TREE = re.compile(r"\([^\W\d_]+")
LONG = 9  # fields: a file of few tokens has fewer columns, unless its name or tabs tell its format
FEW = 5  # lines
WRAPPED = 5  # fields of the longest line, at least, where no line need end as a sentence
LETTERS = re.compile(r"[^\W\d_]+(['’-][^\W\d_]+)*[.,;:!?]?")


def is_prose(head: bytes, path: str = "") -> bool:
    """Whether the first bytes of a file are prose, unless its name says that it holds columns."""
    fields = [] if COLUMN_NAMES.search(path) else _fields(head)
    if not fields:
        return False
    lengths = Counter(map(len, fields))
    ended = 2 * sum(map(_is_ended, fields))
    if [*lengths] == [1]:
        return 2 * sum(_is_unspaced(line[0]) for line in fields) >= len(fields)
    if ended > len(fields) or (ended == len(fields) and len(lengths) > 1):
        return True
    usual, middle = max(lengths.values()), median(map(len, fields))  # in columns nearly all lines have the usual length
    if 2 * usual <= len(fields) and max(lengths) >= WRAPPED and middle > 2:
        return True
    few = len(fields) <= FEW and max(lengths) >= LONG
    return (few or (4 * usual <= 3 * len(fields) and middle >= LONG)) and _are_words(fields)


def may_be_prose(head: bytes) -> bool:
    """Whether most fields of a file that cannot be read as columns are words: enough for a question in a message."""
    fields = _fields(head)
    later = [field for line in fields for field in line[1:]]
    words = [field for field in later if LETTERS.fullmatch(field) and len(field) > 1 and not field.isupper()]
    return 2 * len(words) > len(later)


def _fields(head: bytes) -> list[list[str]]:
    """The fields of the first lines of a file, none of one that is no prose whatever its words are."""
    text = head[:HEAD].decode("utf-8-sig", errors="ignore")
    lines = [line for line in _whole_lines(text, len(head) >= HEAD) if line.strip()]
    if b"\0" in head or not lines or lines[0].startswith(OTHER_BEGINS) or COMMENT.match(lines[0]):
        return []
    fields = [[field for field in BLANK.split(line) if field] for line in lines]
    return [] if _is_table(lines) or _is_annotated(fields) else fields


def _whole_lines(text: str, is_cut: bool) -> list[str]:
    """The lines of a text, without the last one if that may go on."""
    lines = text.split("\n")
    return lines[:-1] if is_cut and len(lines) > 1 else lines


def _is_table(lines: Sequence[str]) -> bool:
    """Whether the lines have tabs, or as many commas as a first line of names without a blank."""
    if 2 * sum("\t" in line.strip() for line in lines) >= len(lines):
        return True
    names = lines[0].strip()
    for comma in ",;":
        count = names.count(comma)
        if count and not BLANK.search(names) and len(lines) > 1:
            return all(line.count(comma) >= count for line in lines[1:])
    return False


def _is_annotated(fields: Sequence[Sequence[str]]) -> bool:
    """Whether short lines have labels of spans, or a third of all fields are tokens with tags, or parts of trees."""
    labelled = sum(1 < len(line) < LONG and _has_label(line) for line in fields)
    tagged = sum(bool(TAGGED.fullmatch(field) or TREE.match(field)) for line in fields for field in line)
    return 3 * labelled >= len(fields) or 3 * tagged >= sum(map(len, fields))


def _are_words(fields: Sequence[Sequence[str]]) -> bool:
    """Whether most fields are words, apart from punctuation."""
    words = [field for line in fields for field in line if any(map(str.isalnum, field))]
    return 2 * sum(map(bool, map(LETTERS.fullmatch, words))) > len(words)


def _has_label(line: Sequence[str]) -> bool:
    """Whether a line has the label of a token in a span, or outside of all."""
    return line[-1] == OUTSIDE or (line[0] == OUTSIDE and not _is_ended(line)) or any(map(LABEL.fullmatch, line))


def _is_ended(line: Sequence[str]) -> bool:
    """Whether a line ends as a sentence, whose last mark may be a field of its own behind words."""
    if ENDED.search(line[-1]) or _is_unspaced(line[-1]):
        return True
    words = any(len(field) > 1 and LETTERS.match(field) for field in line)
    return len(line) > 2 and words and bool(ALONE.match(line[-1]) and LETTERS.match(line[0]))


def _is_unspaced(field: str) -> bool:
    """Whether a field has sentences of a script without blanks: words, and a stop at its end or among them.

    Step by step, since one pattern for all of it would try every place of a long field with every other one.
    """
    words = TWO.search(field)
    if words is None:
        return False
    bare = field.rstrip(CLOSERS)
    if bare[-1:] in LAST_STOPS and len(bare) > words.end():
        return True
    stop = STOP.search(field, words.end())
    return stop is not None and ONE.search(field, stop.end()) is not None
