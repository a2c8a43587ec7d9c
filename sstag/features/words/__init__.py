"""What raw text tells of words: vectors from their neighbours, and which words resemble which prototypes."""
