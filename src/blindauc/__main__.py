"""`python -m blindauc` is the command line."""

from blindauc.cli import main

main()
