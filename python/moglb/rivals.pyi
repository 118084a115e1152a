# Written by python/tools/make_rivals.py from the engine's own descriptions; edit those.

from typing import Mapping, Optional, Sequence, Tuple, Type, Union

from ._policies import Objectives, Policy

Target = Union[int, Sequence[float]]

class Pcz(Policy):
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
    ) -> None: ...

class STs(Policy):
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
    ) -> None: ...

class MolTs(Policy):
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
    ) -> None: ...

class MoslbPl(Policy):
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
    ) -> None: ...

class MoslbPc(Policy):
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
    ) -> None: ...

class Stlo(Policy):
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
    ) -> None: ...

class Mtlo(Policy):
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
    ) -> None: ...

class HypervolumeUcb(Policy):
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
    ) -> None: ...

class MoOgde(Policy):
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
    ) -> None: ...

class FairMoglbUcb(Policy):
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
    ) -> None: ...

class MoGloc(Policy):
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
    ) -> None: ...

class MoGlbOmd(Policy):
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
    ) -> None: ...

class Window(Policy):
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
    ) -> None: ...

class Restart(Policy):
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
    ) -> None: ...

class Oful(Policy):
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
    ) -> None: ...

class ContextualZooming(Policy):
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
    ) -> None: ...

class Zooming(Policy):
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
    ) -> None: ...

class Hoo(Policy):
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
    ) -> None: ...

class QueryAdClustering(Policy):
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
    ) -> None: ...

class LinUcb(Policy):
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
    ) -> None: ...

class LinUcbHybrid(Policy):
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
    ) -> None: ...

class LinTs(Policy):
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
    ) -> None: ...

class ConfidenceBall(Policy):
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
    ) -> None: ...

class LinRel(Policy):
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
    ) -> None: ...

class SupLinRel(Policy):
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
    ) -> None: ...

class Ucb1(Policy):
    def __init__(
        self,
        dim: int,
        objectives: Objectives,
        *,
        target: Optional[Target] = None,
        radius: float = 1.0,
        n_arms: Optional[int] = None,
        seed: int = 0,
    ) -> None: ...

class Exp3(Policy):
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
    ) -> None: ...

class Exp4(Policy):
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
    ) -> None: ...

class EpochGreedy(Policy):
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
    ) -> None: ...

class Iltcb(Policy):
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
    ) -> None: ...

class MoKs(Policy):
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
    ) -> None: ...

class MoUs(Policy):
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
    ) -> None: ...

class GlmUcb(Policy):
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
    ) -> None: ...

class Ol2m(Policy):
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
    ) -> None: ...

class Gloc(Policy):
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
    ) -> None: ...

class GlocTs(Policy):
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
    ) -> None: ...

class Qgloc(Policy):
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
    ) -> None: ...

class GlbOmd(Policy):
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
    ) -> None: ...

class OfuEcolog(Policy):
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
    ) -> None: ...

class AdaOfuEcolog(Policy):
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
    ) -> None: ...

class OfuGlb(Policy):
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
    ) -> None: ...

class RsGlincb(Policy):
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
    ) -> None: ...

RIVALS: Tuple[Type[Policy], ...]
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
