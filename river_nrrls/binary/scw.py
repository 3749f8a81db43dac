"""Soft confidence-weighted learning (Wang, Zhao and Hoi 2012)."""

from __future__ import annotations

import math

import numpy as np

from ..dense import Parameter, checks
from .covariance import GaussianClassifier, move, quantile
from .cw import LEAST, bounded, certain, standardised

# Where C does not bind (rows of 1e150), and where large sample weights have taken w so far off that
# rows seem a million standard deviations wrong, Σ shrinks as in CW, and is bounded as there.
ABSURD = 1e6


def scw(
    w: np.ndarray,
    S: np.ndarray,
    x: np.ndarray,
    y: float,
    phi: float,
    C: float,
    variant: str,
    form: str,
    weight: float = 1.0,
    scratch: np.ndarray | None = None,
) -> float:
    """CW with its step bounded by C (I) or its constraint softened by a square (II).

    As in `cw` the step is that on x/√v: v = 1, C becomes C√v for I and n = 1 + 1/(2Cv) for II.
    Returns φ√v - m.
    """
    m, f, v = standardised(w, S, x, y, scratch)
    l = phi - m
    if not l > 0.0:
        return 0.0
    deviation = math.sqrt(v)
    phi2 = phi * phi
    if variant == "I":
        psi = 1.0 + 0.5 * phi2
        xi = 1.0 + phi2
        alpha = (-m * psi + math.sqrt(0.25 * m * m * phi2 * phi2 + phi2 * xi)) / xi
        alpha = max(0.0, min(alpha, C * deviation))
    else:
        n = 1.0 + 0.5 / C / v
        if form == "paper":
            R = phi2 * phi2 * m * m + 4.0 * n * phi2 * (n + phi2)
        else:
            R = 2.0 * phi2 * phi2 * m * m / v + 4.0 * n * phi2 * (n + 2.0 * phi)
        alpha = max(0.0, (math.sqrt(R) - (2.0 * n + phi2) * m) / (2.0 * n * (n + phi2)))
    if alpha < math.inf:
        beta, rest = certain(alpha, phi)
        if m < -ABSURD or C * deviation > ABSURD:
            beta, rest = bounded(S, x, v, beta, rest, LEAST * LEAST)
        move(w, S, x, f, v, y * alpha / deviation, beta / v, rest, weight)
    return l * deviation


class SCWClassifier(GaussianClassifier):
    r"""Soft confidence-weighted learning.

    CW that forgives: a row that contradicts what is known moves the distribution by a bounded step
    (SCW-I) or pays for its violation by the square (SCW-II), so noisy labels do no lasting harm.
    With $m$, $v$, $\phi$, $\psi$, $\xi$, $u$, $\beta$ and the update as in CW:

    $$\alpha = \min\Big(C, \max\Big(0, \frac{-m\psi + \sqrt{m^2\phi^4/4 + v\phi^2\xi}}{v\,\xi}
    \Big)\Big) \quad (\text{I})$$

    $$\alpha = \max\Big(0, \frac{-(2mn + \phi^2mv) + \sqrt{\phi^4m^2v^2 + 4nv\phi^2(n + v\phi^2)}}
    {2(n^2 + nv\phi^2)}\Big), \quad n = v + \frac{1}{2C} \quad (\text{II})$$

    Use it as the first choice among the confidence-weighted learners.

    Parameters
    ----------
    variant
        "I" or "II".
    eta
        Probability with which the newest row should be classed rightly; in (0.5, 1). LIBOL takes
        0.75 for I and 0.9 for II.
    C
        The larger, the nearer to CW.
    form
        "paper": as above. "libol": in II the root is of $2\phi^4m^2v + 4nv\phi^2(n + 2v\phi)$, a
        slip of LIBOL that the tables of the MTWU paper share. Nothing changes in I.
    a
        The covariance starts as a·I.
    covariance
        "full", or "diagonal" for O(d) state and steps: of each step on Σ the diagonal is kept.
    learn_intercept
        Whether each row gets a constant feature 1.

    Attributes
    ----------
    n_updates
        Rounds with a positive loss.
    covariance_matrix
        Σ, or its diagonal, in the order of `[intercept, *weights]`.

    Notes
    -----
    A sample weight multiplies α; β takes a weight below 1, and stays as it is above 1.
    P(True) = Φ(wᵀx / √v).

    Examples
    --------
    >>> from river import datasets, evaluate, metrics, preprocessing
    >>> import river_nrrls as rn

    >>> model = preprocessing.StandardScaler() | rn.SCWClassifier()
    >>> evaluate.progressive_val_score(datasets.Phishing(), model, metrics.Accuracy())
    Accuracy: 88.72%

    References
    ----------
    [^1]: [Wang, J., Zhao, P. and Hoi, S. C. H. (2012). Exact Soft Confidence-Weighted Learning.
        ICML](https://icml.cc/2012/papers/86.pdf)

    """

    variant = Parameter(checks.choice("I", "II"))
    eta = Parameter(checks.interval(0.5, 1.0, "neither"))
    C = Parameter(checks.positive)
    form = Parameter(checks.choice("paper", "libol"))

    _mutable = frozenset({"variant", "eta", "C"})

    def __init__(
        self,
        variant: str = "I",
        eta: float = 0.75,
        C: float = 1.0,
        form: str = "paper",
        a: float = 1.0,
        covariance: str = "full",
        learn_intercept: bool = True,
    ) -> None:
        self.variant = variant
        self.eta = eta
        self.C = C
        self.form = form
        super().__init__(a, covariance, learn_intercept)

    def _step(self, row: np.ndarray, code: float, w: float) -> float:
        phi, rule = quantile(self.eta), (self.variant, self.form)
        return scw(self._w, self._sigma, row, code, phi, self.C, *rule, w, self._scratch)
