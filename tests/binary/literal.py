"""The rules as the papers (and LIBOL) print them, in plain numpy on a dense Σ.

Each takes the state (w, Σ, clock) and returns the next one and the loss; a sample weight multiplies
the step of w, and min(weight, 1) that of Σ. In the diagonal form Σ keeps its diagonal.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.special import ndtri

State = tuple[np.ndarray, np.ndarray, Any]
Rule = Callable[..., tuple[np.ndarray, np.ndarray, Any, float]]


def sign(f: float) -> float:
    return 1.0 if f >= 0.0 else -1.0


def downdate(S: np.ndarray, s: np.ndarray, beta: float, weight: float) -> np.ndarray:
    return S - min(weight, 1.0) * beta * np.outer(s, s)


def perceptron(w, S, t, x, y, weight):
    l = float(sign(w @ x) != y)
    return w + weight * l * y * x, S, t, l


def alma(w, S, k, x, y, weight, alpha, p, C, form):
    k = k or 1
    if form == "paper":
        x = x / (np.abs(x) ** p).sum() ** (1 / p)
    gamma = (1 / alpha) * np.sqrt(p - 1) / np.sqrt(k)
    l = (1 - alpha) * gamma - y * (w @ x)
    if l <= 0:
        return w, S, k, l
    eta = weight * C / (np.sqrt(p - 1) * np.sqrt(k))
    if form == "libol":
        w = w + eta * y * x
        return w / max(1, np.sqrt(w @ w)), S, k + 1, l
    q = p / (p - 1)

    def f(v, r):
        size = (np.abs(v) ** r).sum() ** (1 / r)
        return np.sign(v) * np.abs(v) ** (r - 1) / size ** (r - 2) if size else v

    w = f(f(w, q) + eta * y * x, p)
    return w / max(1, (np.abs(w) ** q).sum() ** (1 / q)), S, k + 1, l


def romma(w, S, t, x, y, weight, aggressive, form):
    f = w @ x
    l = 1 - y * f if aggressive else float(sign(f) != y)
    if l <= 0:
        return w, S, t, l
    q = (x @ x) * (w @ w)
    if w @ w == 0:
        new = y * x if form == "libol" else y * x / (x @ x)
    elif form == "paper" and y * f >= q:
        new = y * x / (x @ x)
    else:
        D = q - f * f
        new = (q - y * f) / D * w + (w @ w) * (y - f) / D * x
    return w + weight * (new - w), S, t, l


def pa(w, S, t, x, y, weight, variant, C):
    l = max(0.0, 1 - y * (w @ x))
    q = x @ x
    tau = {"PA": l / q, "PA-I": min(C, l / q), "PA-II": l / (q + 1 / (2 * C))}[variant]
    return w + weight * tau * y * x, S, t, l


def ogd(w, S, t, x, y, weight, loss, C, D=None):
    t = (t or 0) + 1
    eta = weight * C / np.sqrt(t)
    f = w @ x
    l, g = {
        "hinge": lambda: (max(0.0, 1 - y * f), y * x),
        "logistic": lambda: (np.log1p(np.exp(-y * f)), y * x / (1 + np.exp(y * f))),
        "squared": lambda: (0.5 * (y - f) ** 2, (y - f) * x),
        "zero_one": lambda: (float(sign(f) != y), y * x),
    }[loss]()
    if l > 0:
        w = w + eta * g
        if D is not None:
            w = w / max(1, np.sqrt(w @ w) / (D / 2))
    return w, S, t, l


def sop(w, S, t, x, y, weight, form, diagonal=False):
    s = S @ x
    new = downdate(S, s, 1 / (1 + x @ s), weight)
    if diagonal:
        new = np.diag(np.diag(new))
    l = float(sign(w @ (new if form == "libol" else S) @ x) != y)
    if form == "libol" or l:
        S = new
    return w + weight * l * y * x, S, t, l


def _confident(w, S, x, y, weight, m, v, alpha, phi):
    u = 0.25 * (-alpha * v * phi + np.sqrt(alpha**2 * v**2 * phi**2 + 4 * v)) ** 2
    beta = alpha * phi / (np.sqrt(u) + alpha * phi * v)
    s = S @ x
    return w + weight * alpha * y * s, downdate(S, s, beta, weight)


def cw(w, S, t, x, y, weight, eta, C=np.inf):
    phi = ndtri(eta)
    m, v = y * (w @ x), x @ S @ x
    l = phi * np.sqrt(v) - m
    if l > 0:
        psi, xi = 1 + phi**2 / 2, 1 + phi**2
        alpha = (-m * psi + np.sqrt(m**2 * phi**4 / 4 + v * phi**2 * xi)) / (v * xi)
        w, S = _confident(w, S, x, y, weight, m, v, min(C, max(0, alpha)), phi)
    return w, S, t, l


def scw(w, S, t, x, y, weight, variant, eta, C, form):
    if variant == "I":
        return cw(w, S, t, x, y, weight, eta, C)
    phi = ndtri(eta)
    m, v = y * (w @ x), x @ S @ x
    l = phi * np.sqrt(v) - m
    if l > 0:
        n = v + 1 / (2 * C)
        if form == "paper":
            R = phi**4 * m**2 * v**2 + 4 * n * v * phi**2 * (n + v * phi**2)
        else:
            R = 2 * phi**4 * m**2 * v + 4 * n * v * phi**2 * (n + 2 * v * phi)
        alpha = (-(2 * m * n + phi**2 * m * v) + np.sqrt(R)) / (2 * (n**2 + n * v * phi**2))
        w, S = _confident(w, S, x, y, weight, m, v, max(0, alpha), phi)
    return w, S, t, l


def iellip(w, S, c_t, x, y, weight, b, c):
    c_t = c if c_t is None else c_t
    f = w @ x
    l = float(sign(f) != y)
    if l:
        v = x @ S @ x
        g = y * x / np.sqrt(v)
        share = min(weight, 1) * c_t
        s = S @ g
        w = w + weight * (1 - y * f) / np.sqrt(v) * s
        S = (S - share * np.outer(s, s)) / (1 - share)
    return w, S, b * c_t, l


def arow(w, S, t, x, y, weight, r):
    l = max(0.0, 1 - y * (w @ x))
    if l > 0:
        s = S @ x
        beta = 1 / (x @ s + r)
        w, S = w + weight * l * beta * y * s, downdate(S, s, beta, weight)
    return w, S, t, l


def narow(w, S, theta, x, y, weight, b, form, diagonal=False):
    l = 1 - y * (w @ x)
    theta = np.zeros(len(w)) if theta is None else theta
    if l > 0:
        s = S @ x
        v = x @ s
        r = v / (b * v - 1) if v > 1 / b else np.inf
        beta = 1 / (v + r)
        if form == "libol":
            w = w + weight * l * beta * y * s
            S = downdate(S, s, beta, weight)
        else:
            # The dual form has no weights: theta is what the paper keeps.
            theta = theta + y * x
            S = downdate(S, s, beta, weight)
            if diagonal:
                S = np.diag(np.diag(S))
            w = S @ theta
    return w, S, theta, l


def nherd(w, S, t, x, y, weight, C):
    l = max(0.0, 1 - y * (w @ x))
    if l > 0:
        s = S @ x
        v, gamma = x @ s, 1 / C
        beta = 1 / (v + gamma)
        w = w + weight * l * beta * y * s
        S = downdate(S, s, beta**2 * (v + 2 * gamma), weight)
    return w, S, t, l


def acog(w, S, counts, x, y, weight, metric, loss, eta, gamma, alpha_p, c_p):
    n_p, n_n = counts or (0.0, 0.0)
    n_p, n_n = (n_p + weight, n_n) if y > 0 else (n_p, n_n + weight)
    rho = 1.0
    if y > 0 and metric == "sum" and n_n:
        rho = alpha_p * n_n / ((1 - alpha_p) * n_p)
    elif y > 0 and metric == "cost":
        rho = c_p / (1 - c_p)
    m = y * (w @ x)
    l = max(0.0, rho - m) if loss == "I" else rho * max(0.0, 1 - m)
    if l > 0:
        s = S @ x
        full = S - np.outer(s, s) / (gamma + x @ s)
        gradient = -y * x if loss == "I" else -rho * y * x
        w = w - weight * eta * full @ gradient
        S = downdate(S, s, 1 / (gamma + x @ s), weight)
    return w, S, (n_p, n_n), l


def ons(w, S, t, x, y, weight, loss, beta):
    """Without the projection; S is the inverse of A."""
    m = y * (w @ x)
    l, g = (
        (max(0.0, 1 - m), 1.0) if loss == "hinge" else (np.log1p(np.exp(-m)), 1 / (1 + np.exp(m)))
    )
    if l > 0:
        gradient = -y * g * x
        A = np.linalg.inv(S)
        w = w - weight / beta * np.linalg.solve(A + np.outer(gradient, gradient), gradient)
        S = np.linalg.inv(A + np.outer(gradient, gradient)) * min(weight, 1) + S * (
            1 - min(weight, 1)
        )
    return w, S, t, l
