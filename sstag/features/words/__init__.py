"""Words in raw text: vectors made of their neighbours, and the words that resemble prototypes."""
