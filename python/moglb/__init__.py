"""Multi-objective generalized linear bandits.

>>> import moglb
>>> policy = moglb.Policy.recommended(dim=2, objectives=[moglb.Objective("click", link="logit"),
...     moglb.Objective("cost", link="identity", direction="minimize", range=(0.0, 1.0))], seed=7)
>>> X = [[0.6, 0.1], [0.2, 0.7], [0.5, 0.5]]
>>> d = policy.decide(X)              # d.arm, d.front, d.probabilities, d.estimates, d.widths
>>> policy.learn(X[d.arm], [1.0, 0.3])
>>> policy.t
1
"""

import os as _os

from . import _moglb, errors, rivals
from ._environments import Environment, environments
from ._moglb import (
    VERSION as __version__,
)
from ._moglb import (
    ArmSet,
    Decision,
    DecisionBatch,
    Experiment,
    Link,
    dominates,
    epsilon_indicator,
    front,
    gaps,
    hypervolume,
    jaccard,
    precision,
    project,
    recall,
)
from ._policies import Ask, EkfUcb, MoglbEb, MoglbUcb, Policy, PTs, PUcb, Random, SUcb, from_json, make, policies
from .errors import Error, PerformanceWarning
from .experiments import Results, experiment, run, simulate
from .links import register_link
from .objectives import Objective, Proved, Tightened, Tuned
from .rivals import (
    AdaOfuEcolog,
    ConfidenceBall,
    ContextualZooming,
    EpochGreedy,
    Exp3,
    Exp4,
    GlbOmd,
    GlmUcb,
    Gloc,
    GlocTs,
    Hoo,
    HypervolumeUcb,
    Iltcb,
    LinRel,
    LinTs,
    LinUcb,
    LinUcbHybrid,
    MoGlbOmd,
    MoGloc,
    MoKs,
    MolTs,
    MoOgde,
    MoslbPc,
    MoslbPl,
    MoUs,
    Mtlo,
    OfuEcolog,
    OfuGlb,
    Oful,
    Ol2m,
    Pcz,
    Qgloc,
    QueryAdClustering,
    RsGlincb,
    Stlo,
    STs,
    SupLinRel,
    Ucb1,
    Zooming,
)

__all__ = [
    "AdaOfuEcolog",
    "ArmSet",
    "Ask",
    "ConfidenceBall",
    "ContextualZooming",
    "Decision",
    "DecisionBatch",
    "EkfUcb",
    "Environment",
    "EpochGreedy",
    "Error",
    "Exp3",
    "Exp4",
    "Experiment",
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
    "Link",
    "MoGlbOmd",
    "MoGloc",
    "MoKs",
    "MoOgde",
    "MoUs",
    "MoglbEb",
    "MoglbUcb",
    "MolTs",
    "MoslbPc",
    "MoslbPl",
    "Mtlo",
    "Objective",
    "OfuEcolog",
    "OfuGlb",
    "Oful",
    "Ol2m",
    "PTs",
    "PUcb",
    "Pcz",
    "PerformanceWarning",
    "Policy",
    "Proved",
    "Qgloc",
    "QueryAdClustering",
    "Random",
    "Results",
    "RsGlincb",
    "STs",
    "SUcb",
    "Stlo",
    "SupLinRel",
    "Tightened",
    "Tuned",
    "Ucb1",
    "Zooming",
    "__version__",
    "dominates",
    "environments",
    "epsilon_indicator",
    "errors",
    "experiment",
    "from_json",
    "front",
    "gaps",
    "hypervolume",
    "jaccard",
    "make",
    "policies",
    "precision",
    "project",
    "recall",
    "register_link",
    "rivals",
    "run",
    "simulate",
]

if hasattr(_os, "register_at_fork"):
    # Threads do not survive a fork: what they would have shared stays on one core in the child.
    _os.register_at_fork(after_in_child=_moglb._after_fork)
