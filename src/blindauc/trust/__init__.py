"""Assessment of fitted models without negatives: AUC, class prior, wrong labels, calibration, stability selection."""

from typing import TYPE_CHECKING

from blindauc._renamed import renamed
from blindauc.trust.ranks import RankAssessment, assess_ranks
from blindauc.trust.scores import ScoreJudgement, judge
from blindauc.trust.stability import StabilitySelection, stability_selection

__all__ = ["RankAssessment", "ScoreJudgement", "StabilitySelection", "assess_ranks", "judge", "stability_selection"]

if not TYPE_CHECKING:  # with `__getattr__`, a type checker would accept every name
    __getattr__ = renamed(__name__, {"Judgement": "RankAssessment", "judge_ranks": "assess_ranks"})
