"""Model selection from PU labels alone: candidates, a prior over their settings, a race, and a weighted average."""
