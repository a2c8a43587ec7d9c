"""Tag schemes: chunks written as one tag per token, in IOB1, IOB2, IOE1, IOE2, BIOES, BMES, IO, or plain labels.

Everything follows from two small rules. `is_divided` says, as `conlleval` does, whether a chunk ends between two
neighbouring tags; `written_role` says how a scheme writes a token from where its chunk starts and ends. A sequence is
well-formed if writing its chunks again gives it back. Both rules look at neighbours only, so legality is a property
of pairs, and a whole corpus is looked at through tables over pairs of labels.
"""
