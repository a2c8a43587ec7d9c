"""The tags of the Brown corpus as those of the Penn Treebank, which were made from them: 36, as many as T08 has.

The Brown corpus marks headlines, titles, quotations and contractions in the tag, which is left out; of a contraction
the first part counts.
"""

FOREIGN = "fw-"
SYMBOL = "SYM"  # instead of every tag that is no word
PENN = {
    **dict.fromkeys(("abl", "abn", "abx"), "PDT"),
    **dict.fromkeys(("at", "dt", "dti", "dts", "dtx"), "DT"),
    **dict.fromkeys(("be", "do", "hv"), "VB"),
    **dict.fromkeys(("bed", "bedz", "dod", "hvd"), "VBD"),
    **dict.fromkeys(("beg", "hvg"), "VBG"),
    **dict.fromkeys(("ben", "hvn"), "VBN"),
    **dict.fromkeys(("bem", "ber"), "VBP"),
    **dict.fromkeys(("bez", "doz", "hvz"), "VBZ"),
    **dict.fromkeys(("cs", "in"), "IN"),
    **dict.fromkeys(("jjs", "od"), "JJ"),
    **dict.fromkeys(("nr", "pn"), "NN"),
    **dict.fromkeys(("pp$", "pp$$"), "PRP$"),
    **dict.fromkeys(("ppl", "ppls", "ppo", "pps", "ppss"), "PRP"),
    **dict.fromkeys(("ql", "qlp", "rn"), "RB"),
    **dict.fromkeys(("wpo", "wps"), "WP"),
    "jjt": "JJS", "np": "NNP", "nps": "NNPS", "nrs": "NNS", "rbt": "RBS", "wp$": "WP$", "wql": "WRB",
}  # fmt: skip


def penn_tag(tag: str) -> str:
    """The tag of the Penn Treebank."""
    if not tag[:1].isalpha():
        return SYMBOL
    if tag.startswith(FOREIGN):
        return "FW"
    plain = tag.split("-")[0].split("+")[0].rstrip("*")
    return PENN.get(plain) or PENN.get(plain.rstrip("$")) or plain.rstrip("$").upper()
