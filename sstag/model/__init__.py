"""A trained tagger: its weights and scores, its file, and what it says of sentences."""
