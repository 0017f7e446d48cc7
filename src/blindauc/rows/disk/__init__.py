"""Tables in files, as numbers in a memory-mapped cache."""
