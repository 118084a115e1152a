"""The policies of the literature: see :func:`moglb.policies` and docs/policies.md for sources and guarantees.

Made by python/tools/make_rivals.py from the engine's own descriptions; edit those.
"""

from __future__ import annotations

from typing import Mapping, Optional, Sequence, Tuple, Type, Union

from ._policies import Objectives, Policy

Target = Union[int, Sequence[float]]
"""What a single-objective policy pursues: the number of an objective (from 0), or one weight per objective."""


class Pcz(Policy):
    """PCZ: contexts, rewards that are Lipschitz in the context, fixed or fresh arm sets.

    Turgay, Öner, Tekin: Multi-objective contextual bandit problem with similarity information, AISTATS 2018.

    Guarantee: Pareto regret Õ(T^((1+d_p)/(2+d_p))) with probability 1 − δ, where d_p is the Pareto zooming
    dimension.

    Departures: Rewards are mapped to [0, 1]. A context is the pair (context, arm) of the source. The first ball
    lies around the origin. The ball that is credited is drawn from those whose domain holds the played arm and
    whose index none of these dominates; the source asks that no relevant ball dominates it, but a policy that
    learns is not told which arms were on offer. All these balls have one radius, so that the gap is at most 14 r(B)
    all the same. That draw comes from a stream of its own, selected by the number of rewards. Before the first
    reward every arm is on the front.

    - ``dim``, ``objectives``, ``radius``, ``n_arms``, ``seed``: as in :class:`MoglbUcb`.
    - ``horizon``: T in the width; past it the policy goes on in the same way, without the guarantee; 3000 unless
      given.
    - ``delta``: the chance that an index may be too low; 0.05 unless given.
    - ``scale``: factor of the proved width u_B; rewards in [0, 1] justify 0.5; 1 unless given.
    - ``lipschitz``: L of the metric min(1, L·‖x − x'‖) for rewards mapped to [0, 1]; the largest slope of a link
      times D unless given; the problem's unless given.

    >>> import moglb
    >>> moglb.Pcz(2, ["click", "view"], n_arms=3)
    Pcz(dim=2, objectives=['click', 'view'], n_arms=3, t=0)
    """

    id = "pcz"
    _own = ("horizon", "delta", "scale", "lipschitz")

    def __init__(
        self,
        dim: int,
        objectives: Objectives,
        *,
        horizon: Optional[int] = None,
        delta: Optional[float] = None,
        scale: Optional[float] = None,
        lipschitz: Optional[float] = None,
        radius: float = 1.0,
        n_arms: Optional[int] = None,
        seed: int = 0,
    ) -> None:
        self._build(
            dim,
            objectives,
            radius,
            n_arms,
            seed,
            horizon=horizon,
            delta=delta,
            scale=scale,
            lipschitz=lipschitz,
        )


class STs(Policy):
    """S-TS: no contexts, one fixed arm set, one weight vector or a set of them.

    Yahyaa, Manderick: Thompson sampling for multi-objective multi-armed bandits problem, ESANN 2015.

    Guarantee: none published; no front.

    Departures: All weight vectors share the posteriors: who was drawn is not known when a reward comes, and a
    reward vector tells all of them the same. Chebyshev scalarization is ours. Rewards are mapped to [0, 1]; those
    in between are added to the beta parameters as fractions. Probabilities are exact given the drawn weights and
    means.

    - ``dim``, ``objectives``, ``radius``, ``n_arms``, ``seed``: as in :class:`MoglbUcb`.
    - ``weights``: one nonnegative number per objective, brought to sum one; equal unless given.
    - ``weight_set``: several weight vectors in place of one; every round is played for one of them, drawn
      uniformly; none unless given.
    - ``spread``: h, a set of all weight vectors whose entries are multiples of 1/h; none unless given.
    - ``scalarization``: linear, Σ wᵢyᵢ; or chebyshev, the least wᵢ(yᵢ − zᵢ); linear unless given.
    - ``reference``: the point z of chebyshev, a reward for each objective; the worst of each range unless given.

    >>> import moglb
    >>> moglb.STs(2, ["click", "view"], n_arms=3)
    STs(dim=2, objectives=['click', 'view'], n_arms=3, t=0)
    """

    id = "s-ts"
    _own = ("weights", "weight_set", "spread", "scalarization", "reference")

    def __init__(
        self,
        dim: int,
        objectives: Objectives,
        *,
        weights: Optional[Sequence[float]] = None,
        weight_set: Optional[Sequence[Sequence[float]]] = None,
        spread: Optional[int] = None,
        scalarization: Optional[str] = None,
        reference: Optional[Sequence[float]] = None,
        radius: float = 1.0,
        n_arms: Optional[int] = None,
        seed: int = 0,
    ) -> None:
        self._build(
            dim,
            objectives,
            radius,
            n_arms,
            seed,
            weights=weights,
            weight_set=weight_set,
            spread=spread,
            scalarization=scalarization,
            reference=reference,
        )


class MolTs(Policy):
    """MOL-TS: contexts, linear rewards, fixed or fresh arm sets.

    Park, Ann, Oh: Thompson sampling for multi-objective linear contextual bandit, NeurIPS 2025.

    Guarantee: Pareto regret Õ(d^(3/2)·√T) where rewards are linear.

    Departures: Rewards are centred by their mean at θ = 0 and divided by the length of their range, so that one
    width serves all objectives; with logit, probit or log links rewards are not linear and the guarantee does not
    hold. R is ½ in these units, and S, the bound on ‖θ‖, is D times the largest slope of a link in them: exact for
    identity, a bound for others. Probabilities are exact given the sampled coefficients; over repeated decisions
    they have no closed form.

    - ``dim``, ``objectives``, ``radius``, ``n_arms``, ``seed``: as in :class:`MoglbUcb`.
    - ``samples``: M, the coefficient vectors that are drawn for each objective; ⌈1 − ln m / ln 0.85⌉ unless given.
    - ``lambda_``: regularization, V_1 = λI; 1 unless given.
    - ``delta``: the chance that a confidence set may fail; 0.05 unless given.
    - ``scale``: factor of the proved width; 1 unless given.

    >>> import moglb
    >>> moglb.MolTs(2, ["click", "view"], n_arms=3)
    MolTs(dim=2, objectives=['click', 'view'], n_arms=3, t=0)
    """

    id = "mol-ts"
    _own = ("samples", "lambda_", "delta", "scale")

    def __init__(
        self,
        dim: int,
        objectives: Objectives,
        *,
        samples: Optional[int] = None,
        lambda_: Optional[float] = None,
        delta: Optional[float] = None,
        scale: Optional[float] = None,
        radius: float = 1.0,
        n_arms: Optional[int] = None,
        seed: int = 0,
    ) -> None:
        self._build(
            dim,
            objectives,
            radius,
            n_arms,
            seed,
            samples=samples,
            lambda_=lambda_,
            delta=delta,
            scale=scale,
        )


class MoslbPl(Policy):
    """MOSLB-PL: contexts, linear rewards, fixed or fresh arm sets, objectives in levels of priority.

    Cheng, Xue, Yi, Zhang: Hierarchize Pareto dominance in multi-objective stochastic linear bandits, AAAI 2024.

    Guarantee: sublinear Pareto-lexicographic regret where rewards are linear.

    Departures: Rewards are centred by their mean at θ = 0 and divided by the length of their range, so that one
    width serves all objectives; with logit, probit or log links rewards are not linear and the guarantee does not
    hold. R is ½ in these units, and S, the bound on ‖θ‖, is D times the largest slope of a link in them: exact for
    identity, a bound for others. The default of ε balances the two parts of the regret; the source's own choice was
    not at hand. The front is reported while arms are explored, too.

    - ``dim``, ``objectives``, ``radius``, ``n_arms``, ``seed``: as in :class:`MoglbUcb`.
    - ``levels``: numbers of objectives (from 0), the most important level first; one level of all objectives is the
      Pareto order; one level per objective unless given.
    - ``epsilon``: arms that are wider, in units of the range of an objective, are played first, uniformly;
      d^(2/3)·T^(−1/3) unless given.
    - ``horizon``: T, the number of rounds to be played; later rounds go on with what it set; 3000 unless given.
    - ``lambda_``: regularization, V_1 = λI; 1 unless given.
    - ``delta``: the chance that a confidence set may fail; 0.05 unless given.
    - ``scale``: factor of the proved width; 1 unless given.

    >>> import moglb
    >>> moglb.MoslbPl(2, ["click", "view"], n_arms=3)
    MoslbPl(dim=2, objectives=['click', 'view'], n_arms=3, t=0)
    """

    id = "moslb-pl"
    _own = ("levels", "epsilon", "horizon", "lambda_", "delta", "scale")

    def __init__(
        self,
        dim: int,
        objectives: Objectives,
        *,
        levels: Optional[Sequence[Sequence[int]]] = None,
        epsilon: Optional[float] = None,
        horizon: Optional[int] = None,
        lambda_: Optional[float] = None,
        delta: Optional[float] = None,
        scale: Optional[float] = None,
        radius: float = 1.0,
        n_arms: Optional[int] = None,
        seed: int = 0,
    ) -> None:
        self._build(
            dim,
            objectives,
            radius,
            n_arms,
            seed,
            levels=levels,
            epsilon=epsilon,
            horizon=horizon,
            lambda_=lambda_,
            delta=delta,
            scale=scale,
        )


class MoslbPc(Policy):
    """MOSLB-PC: contexts, linear rewards, fixed or fresh arm sets, objectives in chains of priority.

    Cheng, Xue, Yi, Zhang: Hierarchize Pareto dominance in multi-objective stochastic linear bandits, AAAI 2024.

    Guarantee: sublinear Pareto-lexicographic regret where rewards are linear.

    Departures: Rewards are centred by their mean at θ = 0 and divided by the length of their range, so that one
    width serves all objectives; with logit, probit or log links rewards are not linear and the guarantee does not
    hold. R is ½ in these units, and S, the bound on ‖θ‖, is D times the largest slope of a link in them: exact for
    identity, a bound for others. The default of ε balances the two parts of the regret; the source's own choice was
    not at hand. The front is reported while arms are explored, too.

    - ``dim``, ``objectives``, ``radius``, ``n_arms``, ``seed``: as in :class:`MoglbUcb`.
    - ``chains``: numbers of objectives (from 0), in each chain the most important first; one chain of all
      objectives unless given.
    - ``epsilon``: arms that are wider, in units of the range of an objective, are played first, uniformly;
      d^(2/3)·T^(−1/3) unless given.
    - ``horizon``: T, the number of rounds to be played; later rounds go on with what it set; 3000 unless given.
    - ``lambda_``: regularization, V_1 = λI; 1 unless given.
    - ``delta``: the chance that a confidence set may fail; 0.05 unless given.
    - ``scale``: factor of the proved width; 1 unless given.

    >>> import moglb
    >>> moglb.MoslbPc(2, ["click", "view"], n_arms=3)
    MoslbPc(dim=2, objectives=['click', 'view'], n_arms=3, t=0)
    """

    id = "moslb-pc"
    _own = ("chains", "epsilon", "horizon", "lambda_", "delta", "scale")

    def __init__(
        self,
        dim: int,
        objectives: Objectives,
        *,
        chains: Optional[Sequence[Sequence[int]]] = None,
        epsilon: Optional[float] = None,
        horizon: Optional[int] = None,
        lambda_: Optional[float] = None,
        delta: Optional[float] = None,
        scale: Optional[float] = None,
        radius: float = 1.0,
        n_arms: Optional[int] = None,
        seed: int = 0,
    ) -> None:
        self._build(
            dim,
            objectives,
            radius,
            n_arms,
            seed,
            chains=chains,
            epsilon=epsilon,
            horizon=horizon,
            lambda_=lambda_,
            delta=delta,
            scale=scale,
        )


class Stlo(Policy):
    """STLO: contexts, linear rewards, fixed or fresh arm sets, objectives in the order of their importance.

    Xue, Lin, Zhang, Zhang: Multiple trade-offs: an improved approach for lexicographic linear bandits, AAAI 2025.

    Guarantee: priority-based regret Õ((K·T)^⅔) of every objective with probability 1 − δ where rewards are linear;
    no front.

    Departures: Rewards are centred by their mean at θ = 0 and divided by the length of their range, so that one
    width serves all objectives; with logit, probit or log links rewards are not linear and the guarantee does not
    hold. R is ½ in these units, and S, the bound on ‖θ‖, is D times the largest slope of a link in them: exact for
    identity, a bound for others. S takes the place of U in the width. The arm to explore is drawn uniformly from
    all that are wide; ties for the largest estimate are broken uniformly.

    - ``dim``, ``objectives``, ``radius``, ``n_arms``, ``seed``: as in :class:`MoglbUcb`.
    - ``epsilon``: arms that are wider, in units of the range of an objective, are played first; and how close arms
      are chained; d^(4/3)·(K·T)^(−1/3) unless given.
    - ``horizon``: T, the number of rounds to be played; later rounds go on with what it set; 3000 unless given.
    - ``delta``: the chance that a confidence set may fail; 0.05 unless given.
    - ``scale``: factor of the proved width; 1 unless given.

    >>> import moglb
    >>> moglb.Stlo(2, ["click", "view"], n_arms=3)
    Stlo(dim=2, objectives=['click', 'view'], n_arms=3, t=0)
    """

    id = "stlo"
    _own = ("epsilon", "horizon", "delta", "scale")

    def __init__(
        self,
        dim: int,
        objectives: Objectives,
        *,
        epsilon: Optional[float] = None,
        horizon: Optional[int] = None,
        delta: Optional[float] = None,
        scale: Optional[float] = None,
        radius: float = 1.0,
        n_arms: Optional[int] = None,
        seed: int = 0,
    ) -> None:
        self._build(
            dim,
            objectives,
            radius,
            n_arms,
            seed,
            epsilon=epsilon,
            horizon=horizon,
            delta=delta,
            scale=scale,
        )


class Mtlo(Policy):
    """MTLO: contexts, linear rewards, fixed or fresh arm sets, objectives in the order of their importance.

    Xue, Lin, Zhang, Zhang: Multiple trade-offs: an improved approach for lexicographic linear bandits, AAAI 2025.

    Guarantee: regret Õ((1 + λ + … + λⁱ⁻¹)·d√T) of objective i with probability 1 − δ where rewards are linear; no
    front.

    Departures: Rewards are centred by their mean at θ = 0 and divided by the length of their range, so that one
    width serves all objectives; with logit, probit or log links rewards are not linear and the guarantee does not
    hold. R is ½ in these units, and S, the bound on ‖θ‖, is D times the largest slope of a link in them: exact for
    identity, a bound for others. S takes the place of U in the width. The source leaves λ to the user, as any upper
    bound; the default 1 is ours. The arm to explore is drawn uniformly from all that are wide.

    - ``dim``, ``objectives``, ``radius``, ``n_arms``, ``seed``: as in :class:`MoglbUcb`.
    - ``lam``: λ, the most that an objective can win for each unit that those before it lose, in units of their
      ranges; 1 unless given.
    - ``horizon``: T, the number of rounds to be played; later rounds go on with what it set; 3000 unless given.
    - ``delta``: the chance that a confidence set may fail; 0.05 unless given.
    - ``scale``: factor of the proved width; 1 unless given.

    >>> import moglb
    >>> moglb.Mtlo(2, ["click", "view"], n_arms=3)
    Mtlo(dim=2, objectives=['click', 'view'], n_arms=3, t=0)
    """

    id = "mtlo"
    _own = ("lam", "horizon", "delta", "scale")

    def __init__(
        self,
        dim: int,
        objectives: Objectives,
        *,
        lam: Optional[float] = None,
        horizon: Optional[int] = None,
        delta: Optional[float] = None,
        scale: Optional[float] = None,
        radius: float = 1.0,
        n_arms: Optional[int] = None,
        seed: int = 0,
    ) -> None:
        self._build(
            dim,
            objectives,
            radius,
            n_arms,
            seed,
            lam=lam,
            horizon=horizon,
            delta=delta,
            scale=scale,
        )


class HypervolumeUcb(Policy):
    """Hypervolume-UCB: contexts, linear rewards, fixed or fresh arm sets.

    Zhang: Optimal scalarizations for sublinear hypervolume regret, NeurIPS 2024.

    Guarantee: hypervolume regret Õ(d·T^(−½) + T^(−1/m)) of its source where rewards are linear; no front.

    Departures: Rewards are centred by their mean at θ = 0 and divided by the length of their range, so that one
    width serves all objectives; with logit, probit or log links rewards are not linear and the guarantee does not
    hold. R is ½ in these units, and S, the bound on ‖θ‖, is D times the largest slope of a link in them: exact for
    identity, a bound for others. Upper confidence bounds are those of OFUL with δ/m; whether the source forces
    rounds of exploring besides is not known here, and there are none. The power m is left out: it changes no order.
    Ties are broken uniformly. Probabilities are exact given the drawn weights.

    - ``dim``, ``objectives``, ``radius``, ``n_arms``, ``seed``: as in :class:`MoglbUcb`.
    - ``reference``: the point z that the hypervolume is above, a reward for each objective; the worst of each range
      unless given.
    - ``lambda_``: regularization, V_1 = λI; 1 unless given.
    - ``delta``: the chance that a confidence set may fail; 0.05 unless given.
    - ``scale``: factor of the proved width; 1 unless given.

    >>> import moglb
    >>> moglb.HypervolumeUcb(2, ["click", "view"], n_arms=3)
    HypervolumeUcb(dim=2, objectives=['click', 'view'], n_arms=3, t=0)
    """

    id = "hypervolume-ucb"
    _own = ("reference", "lambda_", "delta", "scale")

    def __init__(
        self,
        dim: int,
        objectives: Objectives,
        *,
        reference: Optional[Sequence[float]] = None,
        lambda_: Optional[float] = None,
        delta: Optional[float] = None,
        scale: Optional[float] = None,
        radius: float = 1.0,
        n_arms: Optional[int] = None,
        seed: int = 0,
    ) -> None:
        self._build(
            dim,
            objectives,
            radius,
            n_arms,
            seed,
            reference=reference,
            lambda_=lambda_,
            delta=delta,
            scale=scale,
        )


class MoOgde(Policy):
    """MO-OGDE: no contexts, one fixed arm set; fair between objectives.

    Busa-Fekete, Szörényi, Weng, Mannor: Multi-objective bandits: optimizing the generalized Gini index, ICML 2017.

    Guarantee: the generalized Gini index of the average cost is Õ(T^(−½)) from the best mixture's with probability
    1 − δ; no front.

    Departures: Costs are one minus the rewards mapped to [0, 1]. Until every arm was played once, the draw is
    uniform from the unplayed arms. No arm is asked to be played more often than a uniform draw does, where η_t is
    above one. The factor √2/(1 − 1/√K) of η_t is from a damaged copy of the source and was found nowhere else.

    - ``dim``, ``objectives``, ``radius``, ``n_arms``, ``seed``: as in :class:`MoglbUcb`.
    - ``weights``: of the largest cost, the second largest and so on; positive and not increasing, brought to a
      largest of one; 1, ½, ¼, … unless given.
    - ``delta``: δ of the step size, the chance that the bound may fail; 0.05 unless given.

    >>> import moglb
    >>> moglb.MoOgde(2, ["click", "view"], n_arms=3)
    MoOgde(dim=2, objectives=['click', 'view'], n_arms=3, t=0)
    """

    id = "mo-ogde"
    _own = ("weights", "delta")

    def __init__(
        self,
        dim: int,
        objectives: Objectives,
        *,
        weights: Optional[Sequence[float]] = None,
        delta: Optional[float] = None,
        radius: float = 1.0,
        n_arms: Optional[int] = None,
        seed: int = 0,
    ) -> None:
        self._build(
            dim,
            objectives,
            radius,
            n_arms,
            seed,
            weights=weights,
            delta=delta,
        )


class FairMoglbUcb(Policy):
    """Fair MOGLB-UCB: contexts, generalized linear rewards, one fixed arm set.

    this project, on Lu, Wang, Hu, Zhang: Multi-Objective Generalized Linear Bandits, IJCAI 2019.

    Guarantee: with probability 1 − δ every Pareto optimal arm has at least ⌊t/P⌋ plays at every t; with proved =
    true also Pareto regret Õ(d√T + √(K·d·T)).

    - ``dim``, ``objectives``, ``radius``, ``n_arms``, ``seed``: as in :class:`MoglbUcb`.
    - ``period``: P: an arm that may be Pareto optimal has at least ⌊t/P⌋ plays; K at least; 4K unless given.
    - ``delta``: the chance that any guarantee may fail; 0.05 unless given.
    - ``c``: factor of the tuned width that O_t is made with, unless proved; 0.01 unless given.
    - ``proved``: O_t is made with the tightened width, for which the regret is bounded; it and the certificate then
      share δ; false unless given.

    >>> import moglb
    >>> moglb.FairMoglbUcb(2, ["click", "view"], n_arms=3)
    FairMoglbUcb(dim=2, objectives=['click', 'view'], n_arms=3, t=0)
    """

    id = "fair-moglb-ucb"
    _own = ("period", "delta", "c", "proved")

    def __init__(
        self,
        dim: int,
        objectives: Objectives,
        *,
        period: Optional[int] = None,
        delta: Optional[float] = None,
        c: Optional[float] = None,
        proved: Optional[bool] = None,
        radius: float = 1.0,
        n_arms: Optional[int] = None,
        seed: int = 0,
    ) -> None:
        self._build(
            dim,
            objectives,
            radius,
            n_arms,
            seed,
            period=period,
            delta=delta,
            c=c,
            proved=proved,
        )


class MoGloc(Policy):
    """MO-GLOC: contexts, generalized linear rewards, fixed or fresh arm sets.

    this project, from Jun, Bhargava, Nowak, Willett: Scalable generalized linear bandits: online computation and
    hashing, NIPS 2017.

    Guarantee: confidence sets of all objectives hold with probability 1 − δ, from which Pareto regret Õ(d√T)
    follows as for MOGLB-UCB.

    Departures: The source has one objective; δ is divided by their number here. R is half of the range of an
    objective's rewards. The front and its uniform draw are those of MOGLB-UCB.

    - ``dim``, ``objectives``, ``radius``, ``n_arms``, ``seed``: as in :class:`MoglbUcb`.
    - ``lambda_``: regularization, V_1 = λI; 1 unless given.
    - ``delta``: the chance that the confidence set may fail; 0.05 unless given.
    - ``scale``: factor of the proved width; 1 unless given.

    >>> import moglb
    >>> moglb.MoGloc(2, ["click", "view"], n_arms=3)
    MoGloc(dim=2, objectives=['click', 'view'], n_arms=3, t=0)
    """

    id = "mo-gloc"
    _own = ("lambda_", "delta", "scale")

    def __init__(
        self,
        dim: int,
        objectives: Objectives,
        *,
        lambda_: Optional[float] = None,
        delta: Optional[float] = None,
        scale: Optional[float] = None,
        radius: float = 1.0,
        n_arms: Optional[int] = None,
        seed: int = 0,
    ) -> None:
        self._build(
            dim,
            objectives,
            radius,
            n_arms,
            seed,
            lambda_=lambda_,
            delta=delta,
            scale=scale,
        )


class MoGlbOmd(Policy):
    """MO-GLB-OMD: contexts, generalized linear rewards, fixed or fresh arm sets.

    this project, from Zhang, Xu, Zhao, Sugiyama: Generalized linear bandits: almost optimal regret with one-pass
    update, NeurIPS 2025.

    Guarantee: confidence sets of all objectives hold with probability 1 − δ where links are canonical.

    Departures: The source has one objective; δ is divided by their number here. The front and its uniform draw are
    those of MOGLB-UCB. One η and one λ, the largest that an objective asks for. For the rest, see GLB-OMD.

    - ``dim``, ``objectives``, ``radius``, ``n_arms``, ``seed``: as in :class:`MoglbUcb`.
    - ``lambda_``: regularization, H_1 = λI; the proof needs the default; max(1, 14dηR_s², 6ηR_s·SL) unless given.
    - ``delta``: the chance that the confidence set may fail; 0.05 unless given.
    - ``scale``: factor of the proved width; 1 unless given.

    >>> import moglb
    >>> moglb.MoGlbOmd(2, ["click", "view"], n_arms=3)
    MoGlbOmd(dim=2, objectives=['click', 'view'], n_arms=3, t=0)
    """

    id = "mo-glb-omd"
    _own = ("lambda_", "delta", "scale")

    def __init__(
        self,
        dim: int,
        objectives: Objectives,
        *,
        lambda_: Optional[float] = None,
        delta: Optional[float] = None,
        scale: Optional[float] = None,
        radius: float = 1.0,
        n_arms: Optional[int] = None,
        seed: int = 0,
    ) -> None:
        self._build(
            dim,
            objectives,
            radius,
            n_arms,
            seed,
            lambda_=lambda_,
            delta=delta,
            scale=scale,
        )


class Window(Policy):
    """Sliding window: that of the policy inside, with coefficients that drift.

    this project: any policy, told the last rounds only (after SW-LinUCB: Cheung, Simchi-Levi, Zhu, AISTATS 2019).

    Guarantee: none proved.

    - ``dim``, ``objectives``, ``radius``, ``n_arms``, ``seed``: as in :class:`MoglbUcb`.
    - ``policy``: the policy inside, by its id and with its parameters; none that has a policy inside itself; { id =
      "moglb-eb" } unless given.
    - ``window``: the rounds that are remembered; up to an eighth more between refits; 1000 unless given.

    >>> import moglb
    >>> moglb.Window(2, ["click", "view"], n_arms=3)
    Window(dim=2, objectives=['click', 'view'], n_arms=3, t=0)
    """

    id = "window"
    _own = ("policy", "window")

    def __init__(
        self,
        dim: int,
        objectives: Objectives,
        *,
        policy: Optional[Mapping[str, object]] = None,
        window: Optional[int] = None,
        radius: float = 1.0,
        n_arms: Optional[int] = None,
        seed: int = 0,
    ) -> None:
        self._build(
            dim,
            objectives,
            radius,
            n_arms,
            seed,
            policy=policy,
            window=window,
        )


class Restart(Policy):
    """Restart on change: that of the policy inside, with coefficients that may change at once.

    this project: any policy, begun anew when a sequential likelihood ratio says that rewards have changed.

    Guarantee: none proved; false alarms measured.

    - ``dim``, ``objectives``, ``radius``, ``n_arms``, ``seed``: as in :class:`MoglbUcb`.
    - ``policy``: the policy inside, by its id and with its parameters; none that has a policy inside itself; { id =
      "moglb-eb" } unless given.
    - ``level``: the chance of a false alarm within 10000 rounds; 0.05 unless given.
    - ``memory``: the most rounds that a new policy is told: those since the change, as far as it is seen; 200
      unless given.

    >>> import moglb
    >>> moglb.Restart(2, ["click", "view"], n_arms=3)
    Restart(dim=2, objectives=['click', 'view'], n_arms=3, t=0)
    """

    id = "restart"
    _own = ("policy", "level", "memory")

    def __init__(
        self,
        dim: int,
        objectives: Objectives,
        *,
        policy: Optional[Mapping[str, object]] = None,
        level: Optional[float] = None,
        memory: Optional[int] = None,
        radius: float = 1.0,
        n_arms: Optional[int] = None,
        seed: int = 0,
    ) -> None:
        self._build(
            dim,
            objectives,
            radius,
            n_arms,
            seed,
            policy=policy,
            level=level,
            memory=memory,
        )


class Oful(Policy):
    """OFUL: contexts, linear rewards, fixed or fresh arm sets, one objective or a weighted sum.

    Abbasi-Yadkori, Pál, Szepesvári: Improved algorithms for linear stochastic bandits, NIPS 2011.

    Guarantee: regret Õ(d√T) with probability 1 − δ where rewards are linear; no front.

    Departures: Rewards are centred by their mean at θ = 0, so that logit and probit need no intercept; for them
    rewards are not linear and the guarantee does not hold. S, which the source takes as known, is D times the
    largest slope of the link: exact for identity, and for other links a bound on the slope of the best linear
    prediction. For a weighted sum it is the weighted sum of these, each in units of its range. R is half of the
    range of rewards. Ties are broken uniformly at random.

    - ``dim``, ``objectives``, ``radius``, ``n_arms``, ``seed``: as in :class:`MoglbUcb`.
    - ``target``: what is pursued: the number of an objective (from 0), or one weight per objective for a weighted
      sum of the rewards mapped to [0, 1]; 0 unless given.
    - ``lambda_``: regularization: the Gram matrix begins as λI; 1 unless given.
    - ``delta``: the chance that the confidence set may fail; 0.05 unless given.
    - ``scale``: factor of the width; 1 unless given.
    - ``switch``: C of the rarely switching variant: what is decided by is renewed when det V has grown by 1 + C; 0
      unless given.

    >>> import moglb
    >>> moglb.Oful(2, ["click", "view"], n_arms=3)
    Oful(dim=2, objectives=['click', 'view'], n_arms=3, t=0)
    """

    id = "oful"
    _own = ("target", "lambda_", "delta", "scale", "switch")

    def __init__(
        self,
        dim: int,
        objectives: Objectives,
        *,
        target: Optional[Target] = None,
        lambda_: Optional[float] = None,
        delta: Optional[float] = None,
        scale: Optional[float] = None,
        switch: Optional[float] = None,
        radius: float = 1.0,
        n_arms: Optional[int] = None,
        seed: int = 0,
    ) -> None:
        self._build(
            dim,
            objectives,
            radius,
            n_arms,
            seed,
            target=target,
            lambda_=lambda_,
            delta=delta,
            scale=scale,
            switch=switch,
        )


class ContextualZooming(Policy):
    """Contextual zooming: contexts, rewards that are Lipschitz in the context, fixed or fresh arm sets, one
    objective or a weighted sum.

    Slivkins: Contextual bandits with similarity information, JMLR 2014.

    Guarantee: regret Õ(T^((1+d_z)/(2+d_z))), where d_z is the zooming dimension; no front.

    Departures: Rewards are mapped to [0, 1]. A context is the pair (context, arm) of the source. The first ball
    lies around the origin. The arm is drawn uniformly from the domains of all balls with the largest index, and the
    reward is credited to one of them whose domain holds it, by a stream of its own that the number of rewards
    selects.

    - ``dim``, ``objectives``, ``radius``, ``n_arms``, ``seed``: as in :class:`MoglbUcb`.
    - ``target``: what is pursued: the number of an objective (from 0), or one weight per objective for a weighted
      sum of the rewards mapped to [0, 1]; 0 unless given.
    - ``horizon``: T in the width; past it the policy goes on in the same way, without the guarantee; 3000 unless
      given.
    - ``scale``: factor of the proved width 4√(log T/(1 + N_B)); 1 unless given.
    - ``lipschitz``: L of the metric min(1, L·‖x − x'‖) for rewards mapped to [0, 1]; the largest slope of a link
      times D unless given; the problem's unless given.

    >>> import moglb
    >>> moglb.ContextualZooming(2, ["click", "view"], n_arms=3)
    ContextualZooming(dim=2, objectives=['click', 'view'], n_arms=3, t=0)
    """

    id = "contextual-zooming"
    _own = ("target", "horizon", "scale", "lipschitz")

    def __init__(
        self,
        dim: int,
        objectives: Objectives,
        *,
        target: Optional[Target] = None,
        horizon: Optional[int] = None,
        scale: Optional[float] = None,
        lipschitz: Optional[float] = None,
        radius: float = 1.0,
        n_arms: Optional[int] = None,
        seed: int = 0,
    ) -> None:
        self._build(
            dim,
            objectives,
            radius,
            n_arms,
            seed,
            target=target,
            horizon=horizon,
            scale=scale,
            lipschitz=lipschitz,
        )


class Zooming(Policy):
    """Zooming: one fixed arm set, rewards that are Lipschitz in the context, one objective or a weighted sum.

    Kleinberg, Slivkins, Upfal: Multi-armed bandits in metric spaces, STOC 2008.

    Guarantee: regret Õ(T^((1+d_z)/(2+d_z))), where d_z is the zooming dimension; no front.

    Departures: Rewards are mapped to [0, 1]. Which of the arms that nobody's ball holds is activated is drawn
    uniformly, and ties of the index are too. With a small scale an arm that was just activated need not have the
    largest index; it is played all the same.

    - ``dim``, ``objectives``, ``radius``, ``n_arms``, ``seed``: as in :class:`MoglbUcb`.
    - ``target``: what is pursued: the number of an objective (from 0), or one weight per objective for a weighted
      sum of the rewards mapped to [0, 1]; 0 unless given.
    - ``scale``: factor of the confidence radius √(8i/(1 + n)); 1 unless given.
    - ``lipschitz``: L of the metric min(1, L·‖x − x'‖) for rewards mapped to [0, 1]; the largest slope of a link
      times D unless given; the problem's unless given.

    >>> import moglb
    >>> moglb.Zooming(2, ["click", "view"], n_arms=3)
    Zooming(dim=2, objectives=['click', 'view'], n_arms=3, t=0)
    """

    id = "zooming"
    _own = ("target", "scale", "lipschitz")

    def __init__(
        self,
        dim: int,
        objectives: Objectives,
        *,
        target: Optional[Target] = None,
        scale: Optional[float] = None,
        lipschitz: Optional[float] = None,
        radius: float = 1.0,
        n_arms: Optional[int] = None,
        seed: int = 0,
    ) -> None:
        self._build(
            dim,
            objectives,
            radius,
            n_arms,
            seed,
            target=target,
            scale=scale,
            lipschitz=lipschitz,
        )


class Hoo(Policy):
    """HOO: one fixed arm set, rewards that are Lipschitz in the context, one objective or a weighted sum.

    Bubeck, Munos, Stoltz, Szepesvári: X-armed bandits, JMLR 2011.

    Guarantee: regret Õ(T^((1+d)/(2+d))), where d is the near-optimality dimension; no front.

    Departures: Rewards are mapped to [0, 1]. The tree ends at single arms, as there are finitely many. The diameter
    of a cell, that of the box around its arms, takes the place of its bound ν₁ρ^h. A cell counts all plays of its
    arms, those before the way down first led to it included. Ties are broken uniformly at random, and so is the
    choice in a cell without plays.

    - ``dim``, ``objectives``, ``radius``, ``n_arms``, ``seed``: as in :class:`MoglbUcb`.
    - ``target``: what is pursued: the number of an objective (from 0), or one weight per objective for a weighted
      sum of the rewards mapped to [0, 1]; 0 unless given.
    - ``scale``: factor of the confidence width √(2 ln n/N); 1 unless given.
    - ``lipschitz``: L of the metric min(1, L·‖x − x'‖) for rewards mapped to [0, 1]; the largest slope of a link
      times D unless given; the problem's unless given.

    >>> import moglb
    >>> moglb.Hoo(2, ["click", "view"], n_arms=3)
    Hoo(dim=2, objectives=['click', 'view'], n_arms=3, t=0)
    """

    id = "hoo"
    _own = ("target", "scale", "lipschitz")

    def __init__(
        self,
        dim: int,
        objectives: Objectives,
        *,
        target: Optional[Target] = None,
        scale: Optional[float] = None,
        lipschitz: Optional[float] = None,
        radius: float = 1.0,
        n_arms: Optional[int] = None,
        seed: int = 0,
    ) -> None:
        self._build(
            dim,
            objectives,
            radius,
            n_arms,
            seed,
            target=target,
            scale=scale,
            lipschitz=lipschitz,
        )


class QueryAdClustering(Policy):
    """Query-Ad-Clustering: contexts, rewards that are Lipschitz in the context, fixed or fresh arm sets, one
    objective or a weighted sum.

    Lu, Pál, Pál: Contextual multi-armed bandits, AISTATS 2010.

    Guarantee: regret Õ(T^((1+d)/(2+d))) for covering dimension d of the pairs of query and ad; no front.

    Departures: Rewards are mapped to [0, 1]. A context is the pair of query and ad of the source, and pairs are
    clustered, in place of queries and ads apart: d is the number of features. Any arm of a cube stands for the
    cube, where the source plays representatives of a cover. Ties are broken uniformly at random.

    - ``dim``, ``objectives``, ``radius``, ``n_arms``, ``seed``: as in :class:`MoglbUcb`.
    - ``target``: what is pursued: the number of an objective (from 0), or one weight per objective for a weighted
      sum of the rewards mapped to [0, 1]; 0 unless given.
    - ``scale``: factor of the confidence width √(4i/(1 + n)); 1 unless given.
    - ``lipschitz``: L of the metric min(1, L·‖x − x'‖) for rewards mapped to [0, 1]; the largest slope of a link
      times D unless given; the problem's unless given.

    >>> import moglb
    >>> moglb.QueryAdClustering(2, ["click", "view"], n_arms=3)
    QueryAdClustering(dim=2, objectives=['click', 'view'], n_arms=3, t=0)
    """

    id = "query-ad-clustering"
    _own = ("target", "scale", "lipschitz")

    def __init__(
        self,
        dim: int,
        objectives: Objectives,
        *,
        target: Optional[Target] = None,
        scale: Optional[float] = None,
        lipschitz: Optional[float] = None,
        radius: float = 1.0,
        n_arms: Optional[int] = None,
        seed: int = 0,
    ) -> None:
        self._build(
            dim,
            objectives,
            radius,
            n_arms,
            seed,
            target=target,
            scale=scale,
            lipschitz=lipschitz,
        )


class LinUcb(Policy):
    """LinUCB: contexts, linear rewards with coefficients of their own for each of K arms, one objective or a
    weighted sum.

    Li, Chu, Langford, Schapire: A contextual-bandit approach to personalized news article recommendation, WWW 2010.

    Guarantee: the width holds with probability 1 − δ for each arm and round if rewards are independent; no front.

    Departures: Rewards are centred by their mean at θ = 0, so that logit and probit need no intercept. The source
    has rewards in [0, 1]: α is multiplied by the length of the range. λ is 1 in the source. As in the source the
    width takes ‖θ‖ ≤ 1 for granted, whatever the radius of the problem. Ties are broken uniformly at random.

    - ``dim``, ``objectives``, ``radius``, ``n_arms``, ``seed``: as in :class:`MoglbUcb`.
    - ``target``: what is pursued: the number of an objective (from 0), or one weight per objective for a weighted
      sum of the rewards mapped to [0, 1]; 0 unless given.
    - ``lambda_``: regularization: the Gram matrix begins as λI; 1 unless given.
    - ``delta``: the chance that the confidence set may fail; 0.05 unless given.
    - ``scale``: factor of the width; 1 unless given.

    >>> import moglb
    >>> moglb.LinUcb(2, ["click", "view"], n_arms=3)
    LinUcb(dim=2, objectives=['click', 'view'], n_arms=3, t=0)
    """

    id = "lin-ucb"
    _own = ("target", "lambda_", "delta", "scale")

    def __init__(
        self,
        dim: int,
        objectives: Objectives,
        *,
        target: Optional[Target] = None,
        lambda_: Optional[float] = None,
        delta: Optional[float] = None,
        scale: Optional[float] = None,
        radius: float = 1.0,
        n_arms: Optional[int] = None,
        seed: int = 0,
    ) -> None:
        self._build(
            dim,
            objectives,
            radius,
            n_arms,
            seed,
            target=target,
            lambda_=lambda_,
            delta=delta,
            scale=scale,
        )


class LinUcbHybrid(Policy):
    """LinUCB hybrid: contexts, linear rewards with shared coefficients and some of their own for each of K arms,
    one objective or a weighted sum.

    Li, Chu, Langford, Schapire: A contextual-bandit approach to personalized news article recommendation, WWW 2010.

    Guarantee: none published for this form; no front.

    Departures: The shared features z are the arm's context x, as are its own. Rewards are centred by their mean at
    θ = 0, so that logit and probit need no intercept. The source has rewards in [0, 1]: α is multiplied by the
    length of the range. λ is 1 in the source. As in the source the width takes ‖θ‖ ≤ 1 for granted, whatever the
    radius of the problem. Ties are broken uniformly at random.

    - ``dim``, ``objectives``, ``radius``, ``n_arms``, ``seed``: as in :class:`MoglbUcb`.
    - ``target``: what is pursued: the number of an objective (from 0), or one weight per objective for a weighted
      sum of the rewards mapped to [0, 1]; 0 unless given.
    - ``lambda_``: regularization: the Gram matrix begins as λI; 1 unless given.
    - ``delta``: the chance that the confidence set may fail; 0.05 unless given.
    - ``scale``: factor of the width; 1 unless given.

    >>> import moglb
    >>> moglb.LinUcbHybrid(2, ["click", "view"], n_arms=3)
    LinUcbHybrid(dim=2, objectives=['click', 'view'], n_arms=3, t=0)
    """

    id = "lin-ucb-hybrid"
    _own = ("target", "lambda_", "delta", "scale")

    def __init__(
        self,
        dim: int,
        objectives: Objectives,
        *,
        target: Optional[Target] = None,
        lambda_: Optional[float] = None,
        delta: Optional[float] = None,
        scale: Optional[float] = None,
        radius: float = 1.0,
        n_arms: Optional[int] = None,
        seed: int = 0,
    ) -> None:
        self._build(
            dim,
            objectives,
            radius,
            n_arms,
            seed,
            target=target,
            lambda_=lambda_,
            delta=delta,
            scale=scale,
        )


class LinTs(Policy):
    """LinTS: contexts, linear rewards, fixed or fresh arm sets, one objective or a weighted sum.

    Agrawal, Goyal: Thompson sampling for contextual bandits with linear payoffs, ICML 2013.

    Guarantee: regret Õ(d^{3/2}√T) with probability 1 − δ where rewards are linear; no front.

    Departures: Rewards are centred by their mean at θ = 0, so that logit and probit need no intercept; for them
    rewards are not linear and the guarantee does not hold. R is half of the range of rewards. λ is 1 in the source.
    As in the source the width takes ‖θ‖ ≤ 1 for granted, whatever the radius of the problem. Probabilities are
    exact given the drawn coefficients; over repeated decisions they have no closed form. The widths of a decision
    are v‖x‖_{B⁻¹}, the deviation of θ̃ᵀx.

    - ``dim``, ``objectives``, ``radius``, ``n_arms``, ``seed``: as in :class:`MoglbUcb`.
    - ``target``: what is pursued: the number of an objective (from 0), or one weight per objective for a weighted
      sum of the rewards mapped to [0, 1]; 0 unless given.
    - ``lambda_``: regularization: the Gram matrix begins as λI; 1 unless given.
    - ``delta``: the chance that the confidence set may fail; 0.05 unless given.
    - ``scale``: factor of the width; 1 unless given.

    >>> import moglb
    >>> moglb.LinTs(2, ["click", "view"], n_arms=3)
    LinTs(dim=2, objectives=['click', 'view'], n_arms=3, t=0)
    """

    id = "lin-ts"
    _own = ("target", "lambda_", "delta", "scale")

    def __init__(
        self,
        dim: int,
        objectives: Objectives,
        *,
        target: Optional[Target] = None,
        lambda_: Optional[float] = None,
        delta: Optional[float] = None,
        scale: Optional[float] = None,
        radius: float = 1.0,
        n_arms: Optional[int] = None,
        seed: int = 0,
    ) -> None:
        self._build(
            dim,
            objectives,
            radius,
            n_arms,
            seed,
            target=target,
            lambda_=lambda_,
            delta=delta,
            scale=scale,
        )


class ConfidenceBall(Policy):
    """ConfidenceBall₂: contexts, linear rewards, fixed or fresh arm sets, one objective or a weighted sum.

    Dani, Hayes, Kakade: Stochastic linear optimization under bandit feedback, COLT 2008.

    Guarantee: regret Õ(d√T) with probability 1 − δ where rewards are linear; no front.

    Departures: Rewards instead of costs. The barycentric spanner is that of the unit ball, A_1 = I, so that arm
    sets may be fresh or span less than all directions. Rewards are centred by their mean at θ = 0 and measured in
    units of the largest size they then can have, or of S/√d if that is more, where S, D times the largest slope of
    the link, bounds ‖θ‖: the proof asks that Σ(θᵀb)² be at most d, and unit vectors need not be arms. For logit and
    probit rewards are not linear and the guarantee does not hold. Ties are broken uniformly at random.

    - ``dim``, ``objectives``, ``radius``, ``n_arms``, ``seed``: as in :class:`MoglbUcb`.
    - ``target``: what is pursued: the number of an objective (from 0), or one weight per objective for a weighted
      sum of the rewards mapped to [0, 1]; 0 unless given.
    - ``delta``: the chance that the confidence set may fail; 0.05 unless given.
    - ``scale``: factor of the width; 1 unless given.

    >>> import moglb
    >>> moglb.ConfidenceBall(2, ["click", "view"], n_arms=3)
    ConfidenceBall(dim=2, objectives=['click', 'view'], n_arms=3, t=0)
    """

    id = "confidence-ball"
    _own = ("target", "delta", "scale")

    def __init__(
        self,
        dim: int,
        objectives: Objectives,
        *,
        target: Optional[Target] = None,
        delta: Optional[float] = None,
        scale: Optional[float] = None,
        radius: float = 1.0,
        n_arms: Optional[int] = None,
        seed: int = 0,
    ) -> None:
        self._build(
            dim,
            objectives,
            radius,
            n_arms,
            seed,
            target=target,
            delta=delta,
            scale=scale,
        )


class LinRel(Policy):
    """LinRel: contexts, linear rewards, fixed or fresh arm sets, one objective or a weighted sum.

    Auer: Using confidence bounds for exploitation-exploration trade-offs, JMLR 2002.

    Guarantee: none by itself, as its rewards are not independent of its choices (SupLinRel has one); no front.

    Departures: Rewards are centred by their mean at θ = 0, so that logit and probit need no intercept. The source
    has rewards in [0, 1] and ‖θ‖ ≤ 1: ‖a‖ is multiplied by the length of the range, ‖v‖ by D times the largest
    slope of the link. K is the number of arms on offer. Ties are broken uniformly at random.

    - ``dim``, ``objectives``, ``radius``, ``n_arms``, ``seed``: as in :class:`MoglbUcb`.
    - ``target``: what is pursued: the number of an objective (from 0), or one weight per objective for a weighted
      sum of the rewards mapped to [0, 1]; 0 unless given.
    - ``horizon``: T, the number of rounds that it is made for; what follows from T stays the same after them; 3000
      unless given.
    - ``delta``: the chance that the confidence set may fail; 0.05 unless given.
    - ``scale``: factor of the width; 1 unless given.

    >>> import moglb
    >>> moglb.LinRel(2, ["click", "view"], n_arms=3)
    LinRel(dim=2, objectives=['click', 'view'], n_arms=3, t=0)
    """

    id = "lin-rel"
    _own = ("target", "horizon", "delta", "scale")

    def __init__(
        self,
        dim: int,
        objectives: Objectives,
        *,
        target: Optional[Target] = None,
        horizon: Optional[int] = None,
        delta: Optional[float] = None,
        scale: Optional[float] = None,
        radius: float = 1.0,
        n_arms: Optional[int] = None,
        seed: int = 0,
    ) -> None:
        self._build(
            dim,
            objectives,
            radius,
            n_arms,
            seed,
            target=target,
            horizon=horizon,
            delta=delta,
            scale=scale,
        )


class SupLinRel(Policy):
    """SupLinRel: contexts, linear rewards, one fixed arm set, one objective or a weighted sum.

    Auer: Using confidence bounds for exploitation-exploration trade-offs, JMLR 2002.

    Guarantee: regret O(√(dT)·log^{3/2}(KT)) with probability 1 − δ where rewards are linear; no front.

    Departures: The stage of a round follows from all arms on offer, but learning is told the played one only: each
    arm is played once before it begins (those rounds go to the first stage), and arms must stay the same. Among
    wide arms of a stage one is drawn uniformly. Reward and width are measured in units of the range of rewards,
    which are centred by their mean at θ = 0; ‖v‖ is multiplied by D times the largest slope of the link. δ is
    divided by 1 + log T for the stages. A reward of an arm that it would not have played only counts as a round.
    After the horizon it goes on with the stages and widths it has.

    - ``dim``, ``objectives``, ``radius``, ``n_arms``, ``seed``: as in :class:`MoglbUcb`.
    - ``target``: what is pursued: the number of an objective (from 0), or one weight per objective for a weighted
      sum of the rewards mapped to [0, 1]; 0 unless given.
    - ``horizon``: T, the number of rounds that it is made for; what follows from T stays the same after them; 3000
      unless given.
    - ``delta``: the chance that the confidence set may fail; 0.05 unless given.
    - ``scale``: factor of the width; 1 unless given.

    >>> import moglb
    >>> moglb.SupLinRel(2, ["click", "view"], n_arms=3)
    SupLinRel(dim=2, objectives=['click', 'view'], n_arms=3, t=0)
    """

    id = "sup-lin-rel"
    _own = ("target", "horizon", "delta", "scale")

    def __init__(
        self,
        dim: int,
        objectives: Objectives,
        *,
        target: Optional[Target] = None,
        horizon: Optional[int] = None,
        delta: Optional[float] = None,
        scale: Optional[float] = None,
        radius: float = 1.0,
        n_arms: Optional[int] = None,
        seed: int = 0,
    ) -> None:
        self._build(
            dim,
            objectives,
            radius,
            n_arms,
            seed,
            target=target,
            horizon=horizon,
            delta=delta,
            scale=scale,
        )


class Ucb1(Policy):
    """UCB1: no contexts, one fixed arm set, one objective or a weighted sum.

    Auer, Cesa-Bianchi, Fischer: Finite-time analysis of the multiarmed bandit problem, Machine Learning 2002.

    Guarantee: regret Σ 8·log T / Δ + (1 + π²/3)·ΣΔ over the worse arms in expectation; no front.

    Departures: Rewards are mapped to [0, 1]. Ties for the best index, unplayed arms among them, are broken
    uniformly at random.

    - ``dim``, ``objectives``, ``radius``, ``n_arms``, ``seed``: as in :class:`MoglbUcb`.
    - ``target``: what is pursued: the number of an objective (from 0), or one weight per objective for a weighted
      sum of the rewards mapped to [0, 1]; 0 unless given.

    >>> import moglb
    >>> moglb.Ucb1(2, ["click", "view"], n_arms=3)
    Ucb1(dim=2, objectives=['click', 'view'], n_arms=3, t=0)
    """

    id = "ucb1"
    _own = ("target",)

    def __init__(
        self,
        dim: int,
        objectives: Objectives,
        *,
        target: Optional[Target] = None,
        radius: float = 1.0,
        n_arms: Optional[int] = None,
        seed: int = 0,
    ) -> None:
        self._build(
            dim,
            objectives,
            radius,
            n_arms,
            seed,
            target=target,
        )


class Exp3(Policy):
    """Exp3: no contexts, one fixed arm set, any rewards, one objective or a weighted sum.

    Auer, Cesa-Bianchi, Freund, Schapire: The nonstochastic multiarmed bandit problem, SIAM J. Computing 2002.

    Guarantee: expected regret 2√(e − 1)·√(T·K·log K) against the best arm, whatever the rewards; no front.

    Departures: Rewards are mapped to [0, 1]. The bound on the best arm's gain is the horizon.

    - ``dim``, ``objectives``, ``radius``, ``n_arms``, ``seed``: as in :class:`MoglbUcb`.
    - ``target``: what is pursued: the number of an objective (from 0), or one weight per objective for a weighted
      sum of the rewards mapped to [0, 1]; 0 unless given.
    - ``horizon``: T, the number of rounds that it is made for; what follows from T stays the same after them; 3000
      unless given.
    - ``gamma``: γ, the share of rounds that explore; √(K·log K / ((e − 1)·T)) unless given; by the horizon unless
      given.

    >>> import moglb
    >>> moglb.Exp3(2, ["click", "view"], n_arms=3)
    Exp3(dim=2, objectives=['click', 'view'], n_arms=3, t=0)
    """

    id = "exp3"
    _own = ("target", "horizon", "gamma")

    def __init__(
        self,
        dim: int,
        objectives: Objectives,
        *,
        target: Optional[Target] = None,
        horizon: Optional[int] = None,
        gamma: Optional[float] = None,
        radius: float = 1.0,
        n_arms: Optional[int] = None,
        seed: int = 0,
    ) -> None:
        self._build(
            dim,
            objectives,
            radius,
            n_arms,
            seed,
            target=target,
            horizon=horizon,
            gamma=gamma,
        )


class Exp4(Policy):
    """Exp4: contexts, one fixed arm set, any rewards, one objective or a weighted sum.

    Auer, Cesa-Bianchi, Freund, Schapire: The nonstochastic multiarmed bandit problem, SIAM J. Computing 2002.

    Guarantee: expected regret 2√(e − 1)·√(T·K·log N) against the best expert after each arm was played; no front.

    Departures: The experts are greedy for weighted sums of ridge predictions of all objectives (λ = 1), and one
    plays anything; the source takes advice from outside. They go on learning from every reward, so that the best
    expert is the best learner. What all experts would have played must be known when a reward is learned, but
    learning is told the played arm only: each arm is played once before it begins, and arms must stay the same.
    Rewards are mapped to [0, 1].

    - ``dim``, ``objectives``, ``radius``, ``n_arms``, ``seed``: as in :class:`MoglbUcb`.
    - ``target``: what is pursued: the number of an objective (from 0), or one weight per objective for a weighted
      sum of the rewards mapped to [0, 1]; 0 unless given.
    - ``horizon``: T, the number of rounds that it is made for; what follows from T stays the same after them; 3000
      unless given.
    - ``experts``: the number of weight vectors in the class: each objective alone, all equally, and a spread of
      others; 20 unless given.
    - ``gamma``: γ, the share of rounds that explore; √(K·log N / ((e − 1)·T)) for N experts unless given; by the
      horizon unless given.

    >>> import moglb
    >>> moglb.Exp4(2, ["click", "view"], n_arms=3)
    Exp4(dim=2, objectives=['click', 'view'], n_arms=3, t=0)
    """

    id = "exp4"
    _own = ("target", "horizon", "experts", "gamma")

    def __init__(
        self,
        dim: int,
        objectives: Objectives,
        *,
        target: Optional[Target] = None,
        horizon: Optional[int] = None,
        experts: Optional[int] = None,
        gamma: Optional[float] = None,
        radius: float = 1.0,
        n_arms: Optional[int] = None,
        seed: int = 0,
    ) -> None:
        self._build(
            dim,
            objectives,
            radius,
            n_arms,
            seed,
            target=target,
            horizon=horizon,
            experts=experts,
            gamma=gamma,
        )


class EpochGreedy(Policy):
    """Epoch-Greedy: contexts, one fixed arm set, one objective or a weighted sum.

    Langford, Zhang: The epoch-greedy algorithm for multi-armed bandits with side information, NIPS 2007.

    Guarantee: expected regret O((K·log|H|)^{1/3}·T^{2/3}) against the best policy of the class; no front.

    Departures: The class is greedy for weighted sums of ridge predictions of all objectives (λ = 1), which learn
    from the rounds that explored; the source has a fixed class. What each policy would have played must be known
    when a reward is learned, but learning is told the played arm only: each arm is played once before it begins
    (these rounds count as explorations), and arms must stay the same. log|H| is log 2 at least. Rewards are mapped
    to [0, 1].

    - ``dim``, ``objectives``, ``radius``, ``n_arms``, ``seed``: as in :class:`MoglbUcb`.
    - ``target``: what is pursued: the number of an objective (from 0), or one weight per objective for a weighted
      sum of the rewards mapped to [0, 1]; 0 unless given.
    - ``experts``: the number of weight vectors in the class: each objective alone, all equally, and a spread of
      others; 20 unless given.
    - ``c``: factor of the number of rounds that follow the best policy after each exploration; 1 unless given.

    >>> import moglb
    >>> moglb.EpochGreedy(2, ["click", "view"], n_arms=3)
    EpochGreedy(dim=2, objectives=['click', 'view'], n_arms=3, t=0)
    """

    id = "epoch-greedy"
    _own = ("target", "experts", "c")

    def __init__(
        self,
        dim: int,
        objectives: Objectives,
        *,
        target: Optional[Target] = None,
        experts: Optional[int] = None,
        c: Optional[float] = None,
        radius: float = 1.0,
        n_arms: Optional[int] = None,
        seed: int = 0,
    ) -> None:
        self._build(
            dim,
            objectives,
            radius,
            n_arms,
            seed,
            target=target,
            experts=experts,
            c=c,
        )


class Iltcb(Policy):
    """ILOVETOCONBANDITS: contexts, one fixed arm set, one objective or a weighted sum.

    Agarwal, Hsu, Kale, Langford, Li, Schapire: Taming the monster, ICML 2014.

    Guarantee: regret O(√(K·T·log(T|Π|/δ))) with probability 1 − δ against the best policy of the class; no front.

    Departures: The class is greedy for weighted sums of ridge predictions of all objectives (λ = 1) as they are at
    the beginning of an epoch; the source has a fixed class. What each policy would have played must be known when a
    reward is learned, but learning is told the played arm only: each arm is played once before it begins (with
    importance weight K), and arms must stay the same. On one fixed arm set the history is one number per arm, so
    that memory does not grow with t. Epochs end when t is a power of two, and when all arms were played for the
    first time. Coordinate descent begins at zero. Rewards are mapped to [0, 1].

    - ``dim``, ``objectives``, ``radius``, ``n_arms``, ``seed``: as in :class:`MoglbUcb`.
    - ``target``: what is pursued: the number of an objective (from 0), or one weight per objective for a weighted
      sum of the rewards mapped to [0, 1]; 0 unless given.
    - ``experts``: the number of weight vectors in the class: each objective alone, all equally, and a spread of
      others; 20 unless given.
    - ``delta``: the chance that the guarantee may fail; 0.05 unless given.

    >>> import moglb
    >>> moglb.Iltcb(2, ["click", "view"], n_arms=3)
    Iltcb(dim=2, objectives=['click', 'view'], n_arms=3, t=0)
    """

    id = "iltcb"
    _own = ("target", "experts", "delta")

    def __init__(
        self,
        dim: int,
        objectives: Objectives,
        *,
        target: Optional[Target] = None,
        experts: Optional[int] = None,
        delta: Optional[float] = None,
        radius: float = 1.0,
        n_arms: Optional[int] = None,
        seed: int = 0,
    ) -> None:
        self._build(
            dim,
            objectives,
            radius,
            n_arms,
            seed,
            target=target,
            experts=experts,
            delta=delta,
        )


class MoKs(Policy):
    """MO-KS: no contexts, one fixed arm set, rewards known to be stochastic or adversarial.

    Xu, Klabjan: Pareto regret analyses in multi-objective multi-armed bandit, ICML 2023.

    Guarantee: Pareto regret O(log T) for stochastic rewards (UCB), Õ(√(K·T)) for adversarial ones (Exp3.P); no
    front.

    Departures: A weighted sum can be pursued as well as one objective: the Pareto regret is at most its regret,
    too. UCB is UCB1. Exp3.P has the constants of Bubeck and Cesa-Bianchi (2012), and its share of exploring rounds
    γ = 1.05·√(K·log K/T) is 1 at most: it would be more where T is less than about K·log K, and (1 − γ) no share
    any more. Rewards are mapped to [0, 1].

    - ``dim``, ``objectives``, ``radius``, ``n_arms``, ``seed``: as in :class:`MoglbUcb`.
    - ``target``: what is pursued: the number of an objective (from 0), or one weight per objective for a weighted
      sum of the rewards mapped to [0, 1]; 0 unless given.
    - ``rewards``: what is known about rewards: stochastic (UCB1 is played) or adversarial (Exp3.P); stochastic
      unless given.
    - ``horizon``: T, the number of rounds that it is made for; what follows from T stays the same after them; 3000
      unless given.
    - ``delta``: the chance that the bound of Exp3.P may fail; 0.05 unless given.

    >>> import moglb
    >>> moglb.MoKs(2, ["click", "view"], n_arms=3)
    MoKs(dim=2, objectives=['click', 'view'], n_arms=3, t=0)
    """

    id = "mo-ks"
    _own = ("target", "rewards", "horizon", "delta")

    def __init__(
        self,
        dim: int,
        objectives: Objectives,
        *,
        target: Optional[Target] = None,
        rewards: Optional[str] = None,
        horizon: Optional[int] = None,
        delta: Optional[float] = None,
        radius: float = 1.0,
        n_arms: Optional[int] = None,
        seed: int = 0,
    ) -> None:
        self._build(
            dim,
            objectives,
            radius,
            n_arms,
            seed,
            target=target,
            rewards=rewards,
            horizon=horizon,
            delta=delta,
        )


class MoUs(Policy):
    """MO-US: no contexts, one fixed arm set, rewards stochastic or adversarial.

    Xu, Klabjan: Pareto regret analyses in multi-objective multi-armed bandit, ICML 2023.

    Guarantee: Pareto regret O(log² T) for stochastic rewards and Õ(√(K·T)) for adversarial ones; no front.

    Departures: A weighted sum can be pursued as well as one objective: the Pareto regret is at most its regret,
    too. Each arm is played once at first, in random order; these losses have weight one. Rewards are mapped to [0,
    1].

    - ``dim``, ``objectives``, ``radius``, ``n_arms``, ``seed``: as in :class:`MoglbUcb`.
    - ``target``: what is pursued: the number of an objective (from 0), or one weight per objective for a weighted
      sum of the rewards mapped to [0, 1]; 0 unless given.
    - ``alpha``: α of the confidence bounds that gaps are estimated with; 3 unless given.
    - ``c``: factor of the exploration that an estimated gap asks for; 256 unless given.

    >>> import moglb
    >>> moglb.MoUs(2, ["click", "view"], n_arms=3)
    MoUs(dim=2, objectives=['click', 'view'], n_arms=3, t=0)
    """

    id = "mo-us"
    _own = ("target", "alpha", "c")

    def __init__(
        self,
        dim: int,
        objectives: Objectives,
        *,
        target: Optional[Target] = None,
        alpha: Optional[float] = None,
        c: Optional[float] = None,
        radius: float = 1.0,
        n_arms: Optional[int] = None,
        seed: int = 0,
    ) -> None:
        self._build(
            dim,
            objectives,
            radius,
            n_arms,
            seed,
            target=target,
            alpha=alpha,
            c=c,
        )


class GlmUcb(Policy):
    """GLM-UCB: contexts, generalized linear rewards, fixed or fresh arm sets, one objective or a weighted sum.

    Filippi, Cappé, Garivier, Szepesvári: Parametric bandits: the generalized linear case, NIPS 2010.

    Guarantee: regret Õ((L/κ)·d√T) with probability 1 − δ where the model holds; no front.

    Departures: The first d rounds play the arm that is farthest from the span of those played, as long as one is
    well outside of it; M is kept invertible by 1e-6·I. λ₀ is bounded from below by norms of the factor of M. R_max
    is the length of the range of rewards: in the source rewards lie in [0, R_max], and the proof needs only the
    length of the interval that they lie in. Contexts have max‖x‖ = 1. For probit θ̂ maximizes the quasi-likelihood,
    which is not the likelihood. The projection onto the ball is not convex: a local minimum is taken, found from
    the constrained maximum of the quasi-likelihood. Ties are broken uniformly at random.

    - ``dim``, ``objectives``, ``radius``, ``n_arms``, ``seed``: as in :class:`MoglbUcb`.
    - ``target``: what is pursued: the number of an objective (from 0), or one weight per objective for a weighted
      sum of the rewards mapped to [0, 1], which is taken for generalized linear with the link that all its
      objectives share if that is logit or probit, and with logit otherwise; 0 unless given.
    - ``delta``: the chance that the confidence set may fail; 0.05 unless given.
    - ``horizon``: T, which the width needs; after it the policy goes on with the same width; 3000 unless given.
    - ``scale``: factor of the proved width; 1 unless given.

    >>> import moglb
    >>> moglb.GlmUcb(2, ["click", "view"], n_arms=3)
    GlmUcb(dim=2, objectives=['click', 'view'], n_arms=3, t=0)
    """

    id = "glm-ucb"
    _own = ("target", "delta", "horizon", "scale")

    def __init__(
        self,
        dim: int,
        objectives: Objectives,
        *,
        target: Optional[Target] = None,
        delta: Optional[float] = None,
        horizon: Optional[int] = None,
        scale: Optional[float] = None,
        radius: float = 1.0,
        n_arms: Optional[int] = None,
        seed: int = 0,
    ) -> None:
        self._build(
            dim,
            objectives,
            radius,
            n_arms,
            seed,
            target=target,
            delta=delta,
            horizon=horizon,
            scale=scale,
        )


class Ol2m(Policy):
    """OL2M: contexts, one-bit rewards with a logit link, fixed or fresh arm sets, one objective or a weighted sum.

    Zhang, Yang, Jin, Xiao, Zhou: Online stochastic linear optimization under one-bit feedback, ICML 2016.

    Guarantee: regret Õ(d√T) with probability 1 − δ for a logit link and rewards 0 or 1; no front.

    Departures: Rewards are 0 and 1 in place of −1 and 1, for which the loss of a logit link is the same. The number
    of intervals in the bound on the noise, ⌈2·log₂ t⌉, is 0 at t = 1 and would leave log 0: it is taken as 1 there.
    Before the first reward γ is λS², as ‖θ‖ ≤ S is all that is known. For links other than logit β is the least
    slope κ of the link, as in the same proof for their losses, but the bound on the noise is that of rewards 0 or
    1, so that the guarantee does not hold. Ties are broken uniformly at random.

    - ``dim``, ``objectives``, ``radius``, ``n_arms``, ``seed``: as in :class:`MoglbUcb`.
    - ``target``: what is pursued: the number of an objective (from 0), or one weight per objective for a weighted
      sum of the rewards mapped to [0, 1], which is taken for generalized linear with the link that all its
      objectives share if that is logit or probit, and with logit otherwise; 0 unless given.
    - ``lambda_``: regularization, Z_1 = λI; 1 unless given.
    - ``delta``: the chance that the confidence set may fail; 0.05 unless given.
    - ``scale``: factor of the proved width; 1 unless given.

    >>> import moglb
    >>> moglb.Ol2m(2, ["click", "view"], n_arms=3)
    Ol2m(dim=2, objectives=['click', 'view'], n_arms=3, t=0)
    """

    id = "ol2m"
    _own = ("target", "lambda_", "delta", "scale")

    def __init__(
        self,
        dim: int,
        objectives: Objectives,
        *,
        target: Optional[Target] = None,
        lambda_: Optional[float] = None,
        delta: Optional[float] = None,
        scale: Optional[float] = None,
        radius: float = 1.0,
        n_arms: Optional[int] = None,
        seed: int = 0,
    ) -> None:
        self._build(
            dim,
            objectives,
            radius,
            n_arms,
            seed,
            target=target,
            lambda_=lambda_,
            delta=delta,
            scale=scale,
        )


class Gloc(Policy):
    """GLOC: contexts, generalized linear rewards, fixed or fresh arm sets, one objective or a weighted sum.

    Jun, Bhargava, Nowak, Willett: Scalable generalized linear bandits: online computation and hashing, NIPS 2017.

    Guarantee: regret Õ(d√T·(L + R)/κ) with probability 1 − δ where the model holds; no front.

    Departures: R is half of the range of rewards, by which any rewards in it are R-sub-Gaussian; κ is the least
    slope of the link on [−S, S] with S = D. Ties are broken uniformly at random.

    - ``dim``, ``objectives``, ``radius``, ``n_arms``, ``seed``: as in :class:`MoglbUcb`.
    - ``target``: what is pursued: the number of an objective (from 0), or one weight per objective for a weighted
      sum of the rewards mapped to [0, 1], which is taken for generalized linear with the link that all its
      objectives share if that is logit or probit, and with logit otherwise; 0 unless given.
    - ``lambda_``: regularization, V_1 = λI; 1 unless given.
    - ``delta``: the chance that the confidence set may fail; 0.05 unless given.
    - ``scale``: factor of the proved width; 1 unless given.

    >>> import moglb
    >>> moglb.Gloc(2, ["click", "view"], n_arms=3)
    Gloc(dim=2, objectives=['click', 'view'], n_arms=3, t=0)
    """

    id = "gloc"
    _own = ("target", "lambda_", "delta", "scale")

    def __init__(
        self,
        dim: int,
        objectives: Objectives,
        *,
        target: Optional[Target] = None,
        lambda_: Optional[float] = None,
        delta: Optional[float] = None,
        scale: Optional[float] = None,
        radius: float = 1.0,
        n_arms: Optional[int] = None,
        seed: int = 0,
    ) -> None:
        self._build(
            dim,
            objectives,
            radius,
            n_arms,
            seed,
            target=target,
            lambda_=lambda_,
            delta=delta,
            scale=scale,
        )


class GlocTs(Policy):
    """GLOC-TS: contexts, generalized linear rewards, fixed or fresh arm sets, one objective or a weighted sum.

    Jun, Bhargava, Nowak, Willett: Scalable generalized linear bandits: online computation and hashing, NIPS 2017.

    Guarantee: regret Õ(d^{3/2}√T·(L + R)/κ) with probability 1 − δ where the model holds; no front.

    Departures: R is half of the range of rewards, by which any rewards in it are R-sub-Gaussian; κ is the least
    slope of the link on [−S, S] with S = D. Probabilities are given the sample θ̇. Ties are broken uniformly at
    random.

    - ``dim``, ``objectives``, ``radius``, ``n_arms``, ``seed``: as in :class:`MoglbUcb`.
    - ``target``: what is pursued: the number of an objective (from 0), or one weight per objective for a weighted
      sum of the rewards mapped to [0, 1], which is taken for generalized linear with the link that all its
      objectives share if that is logit or probit, and with logit otherwise; 0 unless given.
    - ``lambda_``: regularization, V_1 = λI; 1 unless given.
    - ``delta``: the chance that the confidence set may fail; 0.05 unless given.
    - ``horizon``: T, which the width needs; after it the policy goes on with the same width; 3000 unless given.
    - ``scale``: factor of the proved width; 1 unless given.

    >>> import moglb
    >>> moglb.GlocTs(2, ["click", "view"], n_arms=3)
    GlocTs(dim=2, objectives=['click', 'view'], n_arms=3, t=0)
    """

    id = "gloc-ts"
    _own = ("target", "lambda_", "delta", "horizon", "scale")

    def __init__(
        self,
        dim: int,
        objectives: Objectives,
        *,
        target: Optional[Target] = None,
        lambda_: Optional[float] = None,
        delta: Optional[float] = None,
        horizon: Optional[int] = None,
        scale: Optional[float] = None,
        radius: float = 1.0,
        n_arms: Optional[int] = None,
        seed: int = 0,
    ) -> None:
        self._build(
            dim,
            objectives,
            radius,
            n_arms,
            seed,
            target=target,
            lambda_=lambda_,
            delta=delta,
            horizon=horizon,
            scale=scale,
        )


class Qgloc(Policy):
    """QGLOC: contexts, generalized linear rewards, fixed or fresh arm sets, one objective or a weighted sum.

    Jun, Bhargava, Nowak, Willett: Scalable generalized linear bandits: online computation and hashing, NIPS 2017.

    Guarantee: regret Õ(d^{5/4}√T) with probability 1 − δ where the model holds; no front.

    Departures: m̄ is the least norm, above zero, of the arms on offer, where the source takes it over all vectors
    of a least length. R is half of the range of rewards. c₀ is left to the user. Ties are broken uniformly at
    random.

    - ``dim``, ``objectives``, ``radius``, ``n_arms``, ``seed``: as in :class:`MoglbUcb`.
    - ``target``: what is pursued: the number of an objective (from 0), or one weight per objective for a weighted
      sum of the rewards mapped to [0, 1], which is taken for generalized linear with the link that all its
      objectives share if that is logit or probit, and with logit otherwise; 0 unless given.
    - ``lambda_``: regularization, V_1 = λI; 1 unless given.
    - ``delta``: the chance that the confidence set may fail; 0.05 unless given.
    - ``c0``: c₀: the larger, the less weight the squared norm has; 1 unless given.
    - ``scale``: factor of the proved width; 1 unless given.

    >>> import moglb
    >>> moglb.Qgloc(2, ["click", "view"], n_arms=3)
    Qgloc(dim=2, objectives=['click', 'view'], n_arms=3, t=0)
    """

    id = "qgloc"
    _own = ("target", "lambda_", "delta", "c0", "scale")

    def __init__(
        self,
        dim: int,
        objectives: Objectives,
        *,
        target: Optional[Target] = None,
        lambda_: Optional[float] = None,
        delta: Optional[float] = None,
        c0: Optional[float] = None,
        scale: Optional[float] = None,
        radius: float = 1.0,
        n_arms: Optional[int] = None,
        seed: int = 0,
    ) -> None:
        self._build(
            dim,
            objectives,
            radius,
            n_arms,
            seed,
            target=target,
            lambda_=lambda_,
            delta=delta,
            c0=c0,
            scale=scale,
        )


class GlbOmd(Policy):
    """GLB-OMD: contexts, generalized linear rewards, fixed or fresh arm sets, one objective or a weighted sum.

    Zhang, Xu, Zhao, Sugiyama: Generalized linear bandits: almost optimal regret with one-pass update, NeurIPS 2025.

    Guarantee: regret Õ(d√(T·μ′(best arm))) with probability 1 − δ where the model holds and the link is canonical;
    no front.

    Departures: λ is at least 1, as the theory's is 0 for an identity link. Losses of an identity link are those of
    variance one, so that the set is proved for rewards in an interval of length 2 at most; probit has its true
    likelihood with the R_s = S of its slope, and registered links R_s = 1, for which nothing is proved.

    - ``dim``, ``objectives``, ``radius``, ``n_arms``, ``seed``: as in :class:`MoglbUcb`.
    - ``target``: what is pursued: the number of an objective (from 0), or one weight per objective for a weighted
      sum of the rewards mapped to [0, 1], which is taken for generalized linear with the link that all its
      objectives share if that is logit or probit, and with logit otherwise; 0 unless given.
    - ``lambda_``: regularization, H_1 = λI; the proof needs the default; max(1, 14dηR_s², 6ηR_s·SL) unless given.
    - ``delta``: the chance that the confidence set may fail; 0.05 unless given.
    - ``scale``: factor of the proved width; 1 unless given.

    >>> import moglb
    >>> moglb.GlbOmd(2, ["click", "view"], n_arms=3)
    GlbOmd(dim=2, objectives=['click', 'view'], n_arms=3, t=0)
    """

    id = "glb-omd"
    _own = ("target", "lambda_", "delta", "scale")

    def __init__(
        self,
        dim: int,
        objectives: Objectives,
        *,
        target: Optional[Target] = None,
        lambda_: Optional[float] = None,
        delta: Optional[float] = None,
        scale: Optional[float] = None,
        radius: float = 1.0,
        n_arms: Optional[int] = None,
        seed: int = 0,
    ) -> None:
        self._build(
            dim,
            objectives,
            radius,
            n_arms,
            seed,
            target=target,
            lambda_=lambda_,
            delta=delta,
            scale=scale,
        )


class OfuEcolog(Policy):
    """OFU-ECOLog: contexts, one-bit rewards with a logit link, fixed or fresh arm sets, one objective or a weighted
    sum.

    Faury, Abeille, Jun, Calauzènes: Jointly efficient and optimal algorithms for logistic bandits, AISTATS 2022.

    Guarantee: the confidence set holds with probability 1 − δ for a logit link and rewards in [0, 1]; no front.

    Departures: There is no warm-up: θ is known to be in the ball of radius S and D = 2S, where the source plays
    until D ≤ 1. Steps are solved to rounding. Other links have their own losses and no proof. Ties are broken
    uniformly at random.

    - ``dim``, ``objectives``, ``radius``, ``n_arms``, ``seed``: as in :class:`MoglbUcb`.
    - ``target``: what is pursued: the number of an objective (from 0), or one weight per objective for a weighted
      sum of the rewards mapped to [0, 1], which is taken for generalized linear with the link that all its
      objectives share if that is logit or probit, and with logit otherwise; 0 unless given.
    - ``delta``: the chance that the confidence set may fail; 0.05 unless given.
    - ``scale``: factor of the proved width; 1 unless given.

    >>> import moglb
    >>> moglb.OfuEcolog(2, ["click", "view"], n_arms=3)
    OfuEcolog(dim=2, objectives=['click', 'view'], n_arms=3, t=0)
    """

    id = "ofu-ecolog"
    _own = ("target", "delta", "scale")

    def __init__(
        self,
        dim: int,
        objectives: Objectives,
        *,
        target: Optional[Target] = None,
        delta: Optional[float] = None,
        scale: Optional[float] = None,
        radius: float = 1.0,
        n_arms: Optional[int] = None,
        seed: int = 0,
    ) -> None:
        self._build(
            dim,
            objectives,
            radius,
            n_arms,
            seed,
            target=target,
            delta=delta,
            scale=scale,
        )


class AdaOfuEcolog(Policy):
    """ada-OFU-ECOLog: contexts, one-bit rewards with a logit link, fixed or fresh arm sets, one objective or a
    weighted sum.

    Faury, Abeille, Jun, Calauzènes: Jointly efficient and optimal algorithms for logistic bandits, AISTATS 2022.

    Guarantee: the confidence set holds with probability 1 − δ for a logit link and rewards in [0, 1]; no front.

    Departures: The radius is the realized sum of losses with a likelihood-ratio martingale in place of the source's
    deviation bound, which needs no test of a round: all rounds are learned, where the source sets those aside that
    fail its test and shrinks the ball by them, and its bound on regret does not carry over. Steps are solved to
    rounding. Other links have their own losses and no proof. Ties are broken uniformly at random.

    - ``dim``, ``objectives``, ``radius``, ``n_arms``, ``seed``: as in :class:`MoglbUcb`.
    - ``target``: what is pursued: the number of an objective (from 0), or one weight per objective for a weighted
      sum of the rewards mapped to [0, 1], which is taken for generalized linear with the link that all its
      objectives share if that is logit or probit, and with logit otherwise; 0 unless given.
    - ``lambda_``: regularization, W_1 = λI; 1 unless given.
    - ``delta``: the chance that the confidence set may fail; 0.05 unless given.
    - ``scale``: factor of the proved width; 1 unless given.

    >>> import moglb
    >>> moglb.AdaOfuEcolog(2, ["click", "view"], n_arms=3)
    AdaOfuEcolog(dim=2, objectives=['click', 'view'], n_arms=3, t=0)
    """

    id = "ada-ofu-ecolog"
    _own = ("target", "lambda_", "delta", "scale")

    def __init__(
        self,
        dim: int,
        objectives: Objectives,
        *,
        target: Optional[Target] = None,
        lambda_: Optional[float] = None,
        delta: Optional[float] = None,
        scale: Optional[float] = None,
        radius: float = 1.0,
        n_arms: Optional[int] = None,
        seed: int = 0,
    ) -> None:
        self._build(
            dim,
            objectives,
            radius,
            n_arms,
            seed,
            target=target,
            lambda_=lambda_,
            delta=delta,
            scale=scale,
        )


class OfuGlb(Policy):
    """OFUGLB: contexts, generalized linear rewards, fixed or fresh arm sets, one objective or a weighted sum.

    Lee, Yun, Jun: A unified confidence sequence for generalized linear models, with applications to bandits,
    NeurIPS 2024.

    Guarantee: regret Õ(d√(T·μ′(best arm))) with probability 1 − δ where rewards have the likelihood of the link; no
    front.

    Departures: Lip_t is the number of rewards times the steepest loss of a reward in range. An identity link has
    the likelihood of variance one, so that the set is proved for rewards in an interval of length 2 at most. The
    scale is that of √β. Arms that cannot have the largest index are shown with a bound on it as their width. Arms
    made for it could take thousands of passes over the records to find an index: where those of a decision are used
    up, an arm is played by the least bound on its index that was found, which is optimistic all the same. Ties are
    broken uniformly at random.

    - ``dim``, ``objectives``, ``radius``, ``n_arms``, ``seed``: as in :class:`MoglbUcb`.
    - ``target``: what is pursued: the number of an objective (from 0), or one weight per objective for a weighted
      sum of the rewards mapped to [0, 1], which is taken for generalized linear with the link that all its
      objectives share if that is logit or probit, and with logit otherwise; 0 unless given.
    - ``delta``: the chance that the confidence set may fail; 0.05 unless given.
    - ``scale``: factor of the proved width; 1 unless given.

    >>> import moglb
    >>> moglb.OfuGlb(2, ["click", "view"], n_arms=3)
    OfuGlb(dim=2, objectives=['click', 'view'], n_arms=3, t=0)
    """

    id = "ofu-glb"
    _own = ("target", "delta", "scale")

    def __init__(
        self,
        dim: int,
        objectives: Objectives,
        *,
        target: Optional[Target] = None,
        delta: Optional[float] = None,
        scale: Optional[float] = None,
        radius: float = 1.0,
        n_arms: Optional[int] = None,
        seed: int = 0,
    ) -> None:
        self._build(
            dim,
            objectives,
            radius,
            n_arms,
            seed,
            target=target,
            delta=delta,
            scale=scale,
        )


class RsGlincb(Policy):
    """RS-GLinCB: contexts, generalized linear rewards, fixed or fresh arm sets, one objective or a weighted sum.

    Sawarni, Das, Barman, Sinha: Generalized linear bandits with limited adaptivity, NeurIPS 2024.

    Guarantee: regret Õ(d√T) free of κ in its leading term, with Õ(log² T) switches, with probability 1 − δ where
    the model holds; no front.

    Departures: R is the length of the interval of rewards, and the scale multiplies γ (also in the threshold of the
    warm-up) and the factor 150. The constrained maximum likelihood is over the ball of radius S and keeps the ridge
    λ, which is held between 1e-6 and 1e100. For probit the quasi-likelihood takes the place of the likelihood.
    Constants are from published code and summaries. Ties are broken uniformly at random.

    - ``dim``, ``objectives``, ``radius``, ``n_arms``, ``seed``: as in :class:`MoglbUcb`.
    - ``target``: what is pursued: the number of an objective (from 0), or one weight per objective for a weighted
      sum of the rewards mapped to [0, 1], which is taken for generalized linear with the link that all its
      objectives share if that is logit or probit, and with logit otherwise; 0 unless given.
    - ``delta``: the chance that the confidence set may fail; 0.05 unless given.
    - ``horizon``: T, which the width needs; after it the policy goes on with the same width; 3000 unless given.
    - ``scale``: factor of the proved width; 1 unless given.

    >>> import moglb
    >>> moglb.RsGlincb(2, ["click", "view"], n_arms=3)
    RsGlincb(dim=2, objectives=['click', 'view'], n_arms=3, t=0)
    """

    id = "rs-glincb"
    _own = ("target", "delta", "horizon", "scale")

    def __init__(
        self,
        dim: int,
        objectives: Objectives,
        *,
        target: Optional[Target] = None,
        delta: Optional[float] = None,
        horizon: Optional[int] = None,
        scale: Optional[float] = None,
        radius: float = 1.0,
        n_arms: Optional[int] = None,
        seed: int = 0,
    ) -> None:
        self._build(
            dim,
            objectives,
            radius,
            n_arms,
            seed,
            target=target,
            delta=delta,
            horizon=horizon,
            scale=scale,
        )


RIVALS: Tuple[Type[Policy], ...] = (
    Pcz,
    STs,
    MolTs,
    MoslbPl,
    MoslbPc,
    Stlo,
    Mtlo,
    HypervolumeUcb,
    MoOgde,
    FairMoglbUcb,
    MoGloc,
    MoGlbOmd,
    Window,
    Restart,
    Oful,
    ContextualZooming,
    Zooming,
    Hoo,
    QueryAdClustering,
    LinUcb,
    LinUcbHybrid,
    LinTs,
    ConfidenceBall,
    LinRel,
    SupLinRel,
    Ucb1,
    Exp3,
    Exp4,
    EpochGreedy,
    Iltcb,
    MoKs,
    MoUs,
    GlmUcb,
    Ol2m,
    Gloc,
    GlocTs,
    Qgloc,
    GlbOmd,
    OfuEcolog,
    AdaOfuEcolog,
    OfuGlb,
    RsGlincb,
)

__all__ = [
    "AdaOfuEcolog",
    "ConfidenceBall",
    "ContextualZooming",
    "EpochGreedy",
    "Exp3",
    "Exp4",
    "FairMoglbUcb",
    "GlbOmd",
    "GlmUcb",
    "Gloc",
    "GlocTs",
    "Hoo",
    "HypervolumeUcb",
    "Iltcb",
    "LinRel",
    "LinTs",
    "LinUcb",
    "LinUcbHybrid",
    "MoGlbOmd",
    "MoGloc",
    "MoKs",
    "MoOgde",
    "MoUs",
    "MolTs",
    "MoslbPc",
    "MoslbPl",
    "Mtlo",
    "OfuEcolog",
    "OfuGlb",
    "Oful",
    "Ol2m",
    "Pcz",
    "Qgloc",
    "QueryAdClustering",
    "Restart",
    "RsGlincb",
    "STs",
    "Stlo",
    "SupLinRel",
    "Ucb1",
    "Window",
    "Zooming",
]
