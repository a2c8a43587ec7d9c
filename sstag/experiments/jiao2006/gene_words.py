"""A lexicon of genes from raw text: words that abstracts often have right before "gene", "protein" or the like.

Nobody has to label anything, nor to own a list; McDonald and Pereira (2005), whose features the paper took, had lists.
"""

import os
from collections import Counter
from itertools import pairwise
from tempfile import TemporaryDirectory

from sstag.experiments.corpora import Corpora, shipped_text
from sstag.experiments.jiao2006.sweep import template
from sstag.features.reading import load_template
from sstag.features.template import Template

RAW = "raw/medline.txt.gz"
HEADS = frozenset(["gene", "genes", "protein", "proteins", "mRNA", "mRNAs", "cDNA", "cDNAs", "promoter", "promoters"])
OFTEN = 3  # times before one of them
SHARES = {"often.txt": 0.3, "sometimes.txt": 0.03}  # of all its occurrences


def with_gene_words(corpora: Corpora, features: str) -> Template:
    """The features of the experiment and, of a word and its neighbours, whether they stand in a list of gene words."""
    counts, before = Counter[str](), Counter[str]()
    text = corpora.read(RAW, ("word",))
    for sentence in range(text.sentences):
        words = text.words("word", sentence)
        counts.update(words)
        before.update(word for word, head in pairwise(words) if head in HEADS)
    with TemporaryDirectory() as folder:
        written = shipped_text("jiao2006/genes")
        for name, share in SHARES.items():
            some = sorted(word for word, times in before.items() if times >= OFTEN and times >= share * counts[word])
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write("".join(f"{word}\n" for word in some if not word.startswith("#")))
            written += f"  - lexicon(word[-1..1], {name})\n"
        path = os.path.join(folder, "genes.yaml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(written)
        return template(features, load_template(path))
