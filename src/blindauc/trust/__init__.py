"""How far a fitted model can be trusted: labels to doubt, probabilities, an AUC, features that keep being chosen."""

from blindauc.trust.ranks import RankAssessment, assess_ranks
from blindauc.trust.scores import ScoreJudgement, judge
from blindauc.trust.stability import StabilitySelection, stability_selection

__all__ = ["RankAssessment", "ScoreJudgement", "StabilitySelection", "assess_ranks", "judge", "stability_selection"]
