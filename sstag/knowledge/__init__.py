"""Knowledge besides labelled sentences: labelled features, expected shares, rules, a person's answers, annotators."""
