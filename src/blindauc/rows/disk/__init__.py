"""Tables in files as numbers in a mapped cache."""
