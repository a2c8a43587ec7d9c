"""What a person knows besides labelled sentences: labelled features, expected shares of labels, rules, answers."""
