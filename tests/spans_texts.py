"""Texts that make trouble, and documents of them with spans, for Hypothesis."""

from hypothesis import strategies as st

from sstag.corpus.text.documents import MANUAL, Document, Span, Spans
from sstag.corpus.text.tokenizer import is_unseen, token_places

PIECES = [
    "Ann", "Oslo", "U.S.", "3.50", "x", "née", "e\u0301", "n\u0303a", "नमस्ते", "東京", "😀", "👩\u200d👩\u200d👧", "🇩🇪",
    "❤\ufe0f", "\u200f", "\u202e", "\u200e", "\u200d", "\u200b", "\ufeff", "\u00a0", "\u3000", " ", "  ", "\n", "\r\n",
    "\t", "\n\n", ".", "!", ", ", '"', "\\", "[", "]", "|", "_", "*", ";", "#", "# text = x", "-DOCSTART-", "\x00",
    "\x85", "\u2028", "http://a.b/c?d=1.", "me@x.org", "ß", "İ",
]  # fmt: skip
TEXTS = st.lists(st.sampled_from(PIECES) | st.characters(codec="utf-8"), max_size=14).map("".join)
LABELS = st.sampled_from(["PER", "LOC", "a b", "Ünï", "X-Y", "B-PER", "O", "!", "?"])
MORE = st.fixed_dictionaries(
    {},
    optional={
        "meta": st.just({"source": "a.txt", "page": 3}) | st.just("x"),
        "date": st.sampled_from(["2020", "", None]),
        "é": st.just([1.5, True, {"x": "\u2028"}]),
    },
)
NAMES = st.sampled_from(["1", "letter-1", "a b", "ü", '"q"', "x\ny", "7"])


@st.composite
def documents(draw: st.DrawFn, labels: st.SearchStrategy[str] = LABELS, whole_tokens: bool = False) -> Document:
    """A document whose spans do not overlap, and begin and end with something that can be seen."""
    text = draw(TEXTS)
    tokens = token_places(text)
    starts = [start for start, _ in tokens]
    stops = [stop for _, stop in tokens]
    if not whole_tokens:
        starts = stops = list(range(len(text) + 1))
    spans, at = [], 0
    for _ in range(draw(st.integers(0, 3))):
        first = [start for start in starts if start >= at and start < len(text) and not is_unseen(text[start])]
        if not first:
            break
        start = draw(st.sampled_from(first))
        last = [stop for stop in stops if stop > start and not is_unseen(text[stop - 1])][:6]
        if not last:
            break
        at = draw(st.sampled_from(last))
        spans.append(Span(start, at, (draw(labels),)))
    return Document(draw(NAMES), text, (Spans(tuple(spans), rest=MANUAL),), more=draw(MORE))
