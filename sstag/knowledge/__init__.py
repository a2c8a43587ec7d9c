"""Knowledge besides labelled sentences: labelled features, expected shares of labels, rules, and a person's answers."""
