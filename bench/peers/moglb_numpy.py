"""MOGLB-UCB in NumPy, in three versions that a Python user might write.

naive   3-operand einsum for the widths, O(K d^2), and a broadcast O(K^2 m) Pareto filter
good    BLAS for the widths, O(K d^2), and moocore's filter: the best version for fresh arms
expert  fixed arms: one matrix-vector product per round, O(K d), updates widths and predictions; members of
        the last front drop the arms that they dominate before moocore's filter

All versions update Z^-1 by Sherman-Morrison and log det Z incrementally. They project onto the ball of radius
D in the norm of Z when an estimate leaves it, with one eigendecomposition in such a round.
"""
import math

import moocore
import numpy as np
from scipy.special import expit, ndtr

KAPPA = float(np.exp(-1.0) / (1 + np.exp(-1.0)) ** 2)  # the least logit slope on [-1, 1]
N_PROBIT = 2
BLOCK = 16e6  # the most bytes of temporaries in the broadcast filter, which else could run out of memory


def means(scores):
    """mu_i of linear scores, one column per objective: two probit, the rest logit."""
    return np.concatenate([ndtr(scores[..., :N_PROBIT]), expit(scores[..., N_PROBIT:])], axis=-1)


def front_naive(u):
    n, m = u.shape
    keep = np.empty(n, bool)
    step = max(1, int(BLOCK // (n * m)))
    for a in range(0, n, step):
        b = u[a : a + step, None, :]
        dominated = (u[None] >= b).all(2) & (u[None] > b).any(2)
        keep[a : a + step] = ~dominated.any(1)
    return np.flatnonzero(keep)


def front_moocore(u):
    return np.flatnonzero(moocore.is_nondominated(u, maximise=True, keep_weakly=True))


class FrontWithPivots:
    """Drops the points that eight members of the last front strictly dominate; moocore filters the rest."""

    def __init__(self):
        self.front = None

    def __call__(self, u):
        if self.front is None or len(u) < 500:
            self.front = front_moocore(u)
            return self.front
        rest = np.arange(len(u))
        for pivot in u[self.front[np.argsort(-u[self.front].sum(1))[:8]]]:
            rest = rest[~(u[rest] < pivot).all(1)]
        self.front = rest[front_moocore(u[rest])]
        return self.front


class MoglbUcb:
    """The policy. `decide` draws from the front that the last `learn` has found."""

    def __init__(self, variant, arms, m, radius=1.0, c=0.1, seed=0):
        self.variant, self.X, self.radius, self.c = variant, arms, radius, c
        n_arms, d = arms.shape
        self.find_front = {"naive": front_naive, "good": front_moocore}.get(variant) or FrontWithPivots()
        self.rng = np.random.default_rng(seed)
        self.Z, self.Z_inv, self.log_det = np.eye(d), np.eye(d), 0.0
        self.theta = np.zeros((m, d))
        self.front = np.arange(n_arms)
        self.projections = 0
        if variant == "expert":
            self.predictions, self.w2 = np.zeros((n_arms, m)), (arms * arms).sum(1)

    def decide(self):
        return int(self.front[self.rng.integers(len(self.front))])

    def learn(self, x, y, arms):
        """Learns the reward y of context x, then finds the front of the arms of the next round."""
        h = KAPPA / 2
        v = self.Z_inv @ x
        q = float(x @ v)
        self.Z += h * np.outer(x, x)
        self.Z_inv -= (h / (1 + h * q)) * np.outer(v, v)
        self.log_det += math.log1p(h * q)
        v /= 1 + h * q  # now Z_{t+1}^-1 x
        slope = means(self.theta @ x) - y
        self.theta -= slope[:, None] * v
        outside = np.flatnonzero(np.sqrt((self.theta**2).sum(1)) > self.radius)
        if len(outside):
            eigen = np.linalg.eigh(self.Z)
            for i in outside:
                self.theta[i] = self.project(self.theta[i], *eigen)
        self.projections += len(outside)
        self.X = arms
        self.front = self.find_front(self.bounds(v, slope, outside, h * (1 + h * q)))

    def bounds(self, v, slope, outside, drop):
        """Upper bounds of all arms. The expert version updates its cached predictions and squared widths."""
        X, beta = self.X, math.sqrt(max(self.c * self.log_det, 0.0))
        if self.variant == "expert":
            s = X @ v
            self.predictions -= s[:, None] * slope
            for i in outside:
                self.predictions[:, i] = X @ self.theta[i]
            self.w2 -= drop * (s * s)
            np.maximum(self.w2, 0.0, out=self.w2)
            return self.predictions + (beta * np.sqrt(self.w2))[:, None]
        if self.variant == "naive":
            w2 = np.einsum("kd,de,ke->k", X, self.Z_inv, X)
        else:
            w2 = np.einsum("kd,kd->k", X @ self.Z_inv, X)
        return X @ self.theta.T + (beta * np.sqrt(np.maximum(w2, 0.0)))[:, None]

    def project(self, theta, values, vectors):
        """(Z + mu I)^-1 Z theta with the mu >= 0 that puts it on the sphere, by Newton on 1/norm."""
        b = (vectors.T @ theta) * values
        mu = 0.0
        for _ in range(50):
            s = b / (values + mu)
            n2 = float(s @ s)
            n = math.sqrt(n2)
            if n <= self.radius * (1 + 1e-13):
                break
            mu += n2 / float(s @ (s / (values + mu))) * (n - self.radius) / self.radius
        return vectors @ s
