"""Generated corpora: `sstag sample NAME`. Plain data, so that listing them imports nothing."""

# name -> (module:function, one line of help); the function takes a count and a random generator.
SAMPLES: dict[str, tuple[str, str]] = {
    "ads": (
        "sstag.experiments.samples.ads:ads",
        "apartment ads, every word labelled with one of 11 fields (size, rent, contact, ...)",
    ),
    "hmm": (
        "sstag.experiments.samples.hmm:hmm",
        "sequences of a hidden Markov model whose matrices, q(x) and Bayes error are known",
    ),
}
