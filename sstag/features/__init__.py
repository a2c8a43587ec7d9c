"""What a template says of each token: a row of attributes."""
