"""Features: templates, and the attributes that they give each token of a text."""
