"""What is chosen from PU labels alone: candidates, what is believed of them, a race on evidence, and an average."""
