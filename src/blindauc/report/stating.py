"""Estimates as one line of text, shared by the terminal, notebooks and `summary()`."""

from __future__ import annotations

from blindauc.estimate import TOO_FEW, Estimate
from blindauc.report.counting import how_many
from blindauc.report.findings import Checks, Expected, Interval
from blindauc.report.words import count, were


def stated(number: Interval | Estimate, *, is_known: bool) -> str:
    """An estimate with its interval as text, or that there are too few labels to estimate it.

    Examples
    --------
    >>> from blindauc.report import Interval
    >>> from blindauc.report.stating import stated
    >>> stated(Interval(0.872, 0.754, 0.989), is_known=True)
    '0.872 (95 % interval 0.754 to 0.989)'
    >>> stated(Interval(0.5, 0.0, 1.0), is_known=False)
    'cannot be estimated: at least 15 different rows have to be labelled to evaluate the ranking'
    """
    if not is_known:
        return TOO_FEW
    value = number.value if isinstance(number, Interval) else float(number)
    return f"{value:.3f} (95 % interval {number.low:.3f} to {number.high:.3f})"


def stated_prior(prior: Interval | Estimate, *, is_auc_known: bool, is_prior_known: bool, remedy: str) -> str:
    """The class prior as text, or its range and how to set it.

    Parameters
    ----------
    prior : Interval or Estimate
    is_auc_known : bool
        Whether enough rows were held out to estimate anything.
    is_prior_known : bool
        Whether the prior can be reported as one number (`blindauc.prior.is_identified`).
    remedy : str
        The option or parameter that sets the prior.

    Examples
    --------
    >>> from blindauc.report import Interval
    >>> from blindauc.report.stating import stated_prior
    >>> stated_prior(Interval(0.1, 0.0, 0.265), is_auc_known=True, is_prior_known=False, remedy="--prior")
    'cannot be estimated from these data: from 0.000 to 0.265; if you know it, pass --prior'
    >>> given = Interval(0.0002, 0.0002, 0.0002)
    >>> stated_prior(given, is_auc_known=True, is_prior_known=True, remedy="--prior")
    '0.0002, as given'
    """
    if prior.low == prior.high:
        return f"{prior.low:g}, as given"
    if not is_auc_known:
        return TOO_FEW
    if is_prior_known:
        return stated(prior, is_known=True)
    return (
        f"cannot be estimated from these data: from {prior.low:.3f} to {prior.high:.3f}; if you know it, pass {remedy}"
    )


def stated_wrong(wrong: Expected) -> str:
    """How many of the most suspicious labels to expect to be wrong, as text.

    Examples
    --------
    >>> from blindauc.report import Expected
    >>> from blindauc.report.stating import stated_wrong
    >>> stated_wrong(Expected(20, 10.7, 6.0, 15.0))
    'of the first 20 expect about 11 (95 % interval 6 to 15) to be wrong'
    """
    return f"of the first {wrong.k:,} expect {how_many(wrong, is_known=True)} to be wrong"


def stated_found(n_checked: int, n_found: int, what: str, found: str, when: str = "") -> str:
    """How many of the checked rows were hits (wrong labels, or positives), as the beginning of a sentence.

    Examples
    --------
    >>> from blindauc.report.stating import stated_found
    >>> stated_found(2, 1, "label", "wrong")
    'Of 2 labels that were checked 1 was wrong'
    """
    checked = f"{count(n_checked, what, f'{what}s')} that {were(n_checked)} checked{when}"
    return f"Of {checked} {n_found:,} {were(n_found)} {found}"


def stated_checks(checks: Checks) -> str:
    """The results of checks made before the fit, as text.

    Examples
    --------
    >>> from blindauc.report.findings import Checks
    >>> from blindauc.report.stating import stated_checks
    >>> stated_checks(Checks(9, 31, 0, 0))
    'Of 40 labels that were checked 31 were wrong.'
    >>> stated_checks(Checks(0, 0, 12, 8))
    'Of 20 unlabelled rows that were checked 12 were positive.'
    """
    n_labels, n_others = checks.n_labels, checks.n_others
    labels = f"{stated_found(n_labels, checks.n_wrong, 'label', 'wrong')}." if n_labels else ""
    others = f"{stated_found(n_others, checks.n_positive, 'unlabelled row', 'positive')}." if n_others else ""
    return " ".join(filter(None, [labels, others]))


def stated_calibration(checks: Checks) -> str:
    """The number of wrong labels among those checked, compared with the number expected by out-of-fold ranks.

    Examples
    --------
    >>> from blindauc.report.findings import Checks, Interval
    >>> from blindauc.report.stating import stated_calibration
    >>> print(stated_calibration(Checks(9, 31, 0, 0, expected=Interval(32.1, 25.0, 37.0))))
    Of 40 labels that were checked 31 were wrong; by their ranks alone about 32 (95 % interval 25 to 37) were expected.
    >>> print(stated_calibration(Checks(38, 2, 0, 0, expected=Interval(12.2, 6.0, 19.0))).partition(". ")[2])
    That is fewer than expected: the probabilities of being wrong may be too high for the other labels, too.
    """
    expected = checks.expected
    if expected is None:
        return stated_checks(checks)
    told = Expected(checks.n_labels, *expected)
    found = (
        f"{stated_found(checks.n_labels, checks.n_wrong, 'label', 'wrong')}; by their ranks alone "
        f"{how_many(told, is_known=True)} {were(round(told.value))} expected"
    )
    if expected.low <= checks.n_wrong <= expected.high:
        return f"{found}."
    less, off = ("fewer", "high") if checks.n_wrong < expected.low else ("more", "low")
    return (
        f"{found}. That is {less} than expected: the probabilities of being wrong may be too {off} for the other "
        "labels, too."
    )
