"""Policies. A policy chooses arms and learns from reward vectors."""

from __future__ import annotations

import contextlib
import copy
import html
import inspect
import json
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Dict,
    List,
    Mapping,
    NamedTuple,
    Optional,
    Sequence,
    Tuple,
    Type,
    TypeVar,
    Union,
)

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _moglb
from ._arrays import listed, plain, whole
from ._moglb import ArmSet, Decision
from ._shown import cut, shown
from .errors import InputTypeError, ParametersError, SnapshotPolicyError
from .objectives import (
    Objective,
    ObjectiveLike,
    Prior,
    PriorLike,
    Proved,
    Tightened,
    Tuned,
    Width,
    as_objective,
    as_objectives,
    width_params,
    written_prior,
    written_priors,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes as _Axes

P = TypeVar("P", bound="Policy")
Arms = Union[ArrayLike, ArmSet]
Objectives = Union[int, Sequence[ObjectiveLike]]


class Ask(NamedTuple):
    """The result of :meth:`Policy.ask`: play this arm, then pass its reward to :meth:`Policy.tell`."""

    arm: int
    context: NDArray[np.float64]
    decision: Decision


class _Unmade:
    """The placeholder for the parameters of an instance whose ``__init__`` has not run yet."""

    # A __getattr__ of the class would have the same effect, but make every call of every method slower.
    def __get__(self, policy: Any, kind: Any) -> Dict[str, Any]:
        if policy is not None:
            policy.t  # noqa: B018 the engine raises the error
        raise AttributeError(f"{kind.__name__!r} has no parameters yet")


class Policy(_moglb.Policy):
    """The base class of all policies. Use one of its subclasses, or :func:`make` with an id.

    Deciding never changes what was learned, and learning is all or nothing. Any number of threads may decide
    at once. The interpreter's lock is released while a policy decides or learns.
    """

    id: ClassVar[str] = ""
    """The id of the policy in experiments."""

    _own: ClassVar[Tuple[str, ...]] = ()
    """The names of the parameters that not all policies have."""

    _params = _Unmade()
    """The parameters of the policy, with copies of lists and arrays."""

    _given: Optional[Dict[str, Any]] = None
    """The arguments of a subclass with its own ``__init__``."""

    def __new__(cls: Type[P], *args: Any, **params: Any) -> P:
        if not cls.id:
            raise InputTypeError("Policy is what all policies have in common: take a subclass, or moglb.make")
        self = super().__new__(cls)
        if cls._has_own_init():
            # __init__ reports wrong arguments. A pickle makes the object without any, and fills it later.
            with contextlib.suppress(TypeError):
                self._given = cls._arguments(args, params)
        return self

    @classmethod
    def _has_own_init(cls) -> bool:
        """Returns true for a subclass outside of the package that has its own ``__init__``."""
        return cls.__init__ is not _class_of(cls.id).__init__

    @classmethod
    def _arguments(cls, args: Tuple[Any, ...], params: Mapping[str, Any]) -> Dict[str, Any]:
        """The arguments of a call of ``__init__`` by name, with the defaults filled in."""
        bound = inspect.signature(cls.__init__).bind(None, *args, **params)
        bound.apply_defaults()
        named: Dict[str, Any] = {}
        for parameter in list(bound.signature.parameters.values())[1:]:
            value = bound.arguments[parameter.name]
            if parameter.kind is inspect.Parameter.VAR_KEYWORD:
                named.update(value)
            elif parameter.kind is inspect.Parameter.VAR_POSITIONAL:
                named.update(zip(("dim", "objectives"), value))  # no policy has other positional parameters
            else:
                named[parameter.name] = list(value) if isinstance(value, list) else value
        return named

    @classmethod
    def _accepts(cls, name: str) -> bool:
        """Returns true if ``__init__`` has a parameter of this name."""
        parameters = inspect.signature(cls.__init__).parameters
        return name in parameters or any(one.kind is inspect.Parameter.VAR_KEYWORD for one in parameters.values())

    @classmethod
    def recommended(
        cls,
        dim: int,
        objectives: Objectives,
        *,
        radius: float = 1.0,
        n_arms: Optional[int] = None,
        seed: int = 0,
    ) -> Policy:
        """Makes the recommended policy: :class:`MoglbEb` with all its defaults.

        >>> import moglb
        >>> policy = moglb.Policy.recommended(dim=2, objectives=["click", "view"], seed=7)
        >>> policy.id
        'moglb-eb'
        """
        return make(_moglb.recommended(), dim, objectives, radius=radius, n_arms=n_arms, seed=seed)

    def _build(
        self,
        dim: int,
        objectives: Objectives,
        radius: float,
        n_arms: Optional[int],
        seed: int,
        **own: Any,
    ) -> None:
        """Builds the engine with these parameters; the ``__init__`` of every class of the package calls
        it."""
        common = {"radius": radius, "n_arms": n_arms, "seed": seed}
        params = self._settled({"dim": dim, "objectives": objectives, **own, **common})
        problem, policy = self._configs(params)
        self._rebuild(problem, policy, whole("seed", params["seed"]))
        self._params = params

    @classmethod
    def _settled(cls, params: Dict[str, Any]) -> Dict[str, Any]:
        """Copies of the parameters, so that later changes of the caller's lists and arrays have no effect."""
        given = params["objectives"]
        if not isinstance(given, (bool, str, bytes, Mapping, set, frozenset)):
            if hasattr(given, "__index__") and not hasattr(given, "__len__"):
                given = whole("objectives", given, least=-(2**63))
            elif hasattr(given, "__iter__"):
                given = listed(given, "objectives")
        arrays = {name: plain(value, name) for name, value in params.items() if isinstance(value, np.ndarray)}
        lists = {**params, **arrays}
        if lists.get("prior") is not None:
            lists["prior"] = written_priors(lists["prior"])
        return {**lists, "objectives": given}

    @classmethod
    def _configs(cls, params: Dict[str, Any]) -> Tuple[Dict[str, Any], Dict[str, Any]]:
        """The problem and the policy in the form of configurations."""
        problem = {
            "dim": params["dim"],
            "objectives": [one.to_dict() for one in as_objectives(params["objectives"])],
            "radius": params["radius"],
            "n_arms": params["n_arms"],
        }
        return problem, {"id": cls.id, **cls._policy_config(params)}

    @classmethod
    def _policy_config(cls, params: Dict[str, Any]) -> Dict[str, Any]:
        """The policy's own parameters in the form of configurations."""
        # The engine has defaults for missing parameters.
        return {name.rstrip("_"): params[name] for name in cls._own if params[name] is not None}

    @classmethod
    def _policy_params(cls, config: Dict[str, Any]) -> Dict[str, Any]:
        """The inverse of :meth:`_policy_config`."""
        # A configuration contains no discount of one, and no priors if there are none.
        unwritten = {"discount": 1.0}
        return {name: config.get(name.rstrip("_"), unwritten.get(name)) for name in cls._own}

    @classmethod
    def _read_params(cls, problem: Dict[str, Any], config: Dict[str, Any], seed: int) -> Dict[str, Any]:
        """The parameters of a problem and a policy, from their configurations."""
        objectives = [
            Objective(**{**one, "range": tuple(one["range"]) if one.get("range") else None})
            for one in problem["objectives"]
        ]
        return {
            **cls._policy_params(config),
            "dim": problem["dim"],
            "objectives": objectives,
            "radius": problem["radius"],
            "n_arms": problem.get("n_arms"),
            "seed": seed,
        }

    # Changes of a policy that has already learned.

    def beliefs(self) -> List[Prior]:
        """The current belief about each objective, as priors for another policy; none for policies without a
        model.

        >>> import moglb
        >>> policy = moglb.MoglbUcb(2, ["click"])
        >>> policy.learn([0.6, 0.1], [1.0])
        >>> pupil = moglb.MoglbEb(2, ["click"], prior=policy.beliefs())
        >>> pupil.theta[0, 0] > 0
        np.True_
        """
        return [Prior(**one) for one in json.loads(self._beliefs())]

    def add_objective(self, objective: ObjectiveLike, prior: Optional[PriorLike] = None) -> None:
        """Adds an objective, the last one.

        The estimates of the other objectives stay the same, bit for bit. An exception is :class:`MoglbEb`:
        there objectives learn from each other, and from a prior too, so the estimates may move.

        >>> import moglb
        >>> policy = moglb.EkfUcb(2, ["click"])
        >>> policy.learn([0.6, 0.1], [1.0])
        >>> policy.add_objective("sale")
        >>> policy.learn([0.6, 0.1], [1.0, 0.0])
        >>> policy.theta.shape
        (2, 2)
        """
        self._changed({"add": {"objective": as_objective(objective).to_dict(), "prior": written_prior(prior)}})

    def drop_objective(self, objective: Union[int, str]) -> None:
        """Removes an objective, by its name or number. Everything learned about it is lost.

        >>> import moglb
        >>> policy = moglb.EkfUcb(2, ["click", "sale"])
        >>> policy.drop_objective("click")
        >>> [one.name for one in policy.objectives]
        ['sale']
        """
        self._changed({"drop": objective if isinstance(objective, str) else whole("objective", objective)})

    def change_arms(self, kept: Sequence[Optional[int]]) -> None:
        """Replaces the arms: arm k is the old arm ``kept[k]``, or a new arm if that is ``None``.

        Old arms that are not in ``kept`` are removed. This is only for policies with a fixed number of arms;
        other policies accept any arms at any decision. Arms fixed by :meth:`fix_arms` are no longer fixed.

        >>> import moglb
        >>> policy = moglb.PUcb(2, ["click"], n_arms=3)
        >>> policy.learn(2, [1.0])
        >>> policy.change_arms([2, None])
        >>> policy.predict([[0.0, 0.0]] * 2).ravel().tolist()
        [1.0, 0.0]
        """
        self._changed(
            json.dumps({"arms": [None if arm is None else whole("arm", arm) for arm in listed(kept, "kept")]})
        )

    def _changed(self, change: Union[str, Dict[str, Any]]) -> None:
        """Changes the engine, and updates the parameters from it."""
        self._change(change)
        problem, config = (json.loads(text) for text in self._parts(self.to_bytes()))
        self._params = self._read_params(problem, config, self._params["seed"])
        if self._given is not None:
            changed = ("objectives", "n_arms", "prior")
            self._given.update({name: self._params[name] for name in changed if self._given.get(name) is not None})

    # Snapshots.

    @classmethod
    def from_json(cls: Type[P], text: str, seed: int = 0) -> P:
        """Restores a policy from :meth:`to_json`. Its generator starts again with ``seed``.

        >>> import moglb
        >>> policy = moglb.MoglbUcb(2, ["click"])
        >>> policy.learn([0.6, 0.1], [1.0])
        >>> moglb.MoglbUcb.from_json(policy.to_json()).t
        1
        """
        return cls._from_snapshot(text, seed)

    @classmethod
    def from_bytes(cls: Type[P], data: bytes, seed: int = 0) -> P:
        """Restores a policy from :meth:`to_bytes`. Its generator starts again with ``seed``."""
        return cls._from_snapshot(data, seed)

    @classmethod
    def _from_snapshot(cls: Type[P], snapshot: Union[str, bytes], seed: int) -> P:
        problem_text, policy_text = cls._parts(snapshot)
        problem, config = json.loads(problem_text), json.loads(policy_text)
        if cls.id and config["id"] != cls.id:
            raise SnapshotPolicyError(f"the snapshot is of policy {config['id']}, expected {cls.id}")
        kind = cls if cls.id else _class_of(config["id"])
        params = kind._read_params(problem, config, seed)
        self = kind(**{name: value for name, value in params.items() if kind._accepts(name)})
        self._resume(snapshot)
        self._params = params
        return self  # type: ignore[return-value]

    def __reduce__(self) -> Tuple[Any, ...]:
        state = {name: value for name, value in self.__dict__.items() if name != "_params"}
        return _unpickle, (type(self), self._params, *self._whole()), state

    def _take(self, data: bytes, rng_state: str, arms: Optional[ArmSet]) -> None:
        """Takes over the state of another policy: its snapshot, its generator and its fixed arms."""
        self._resume(data)
        self._set_rng_state(rng_state)
        if arms is not None:
            self.fix_arms(arms)

    def __copy__(self: P) -> P:
        make, arguments, state = self.__reduce__()
        twin: P = make(*arguments)
        twin.__dict__.update(state)
        return twin

    def __deepcopy__(self: P, memo: Dict[int, Any]) -> P:
        make, (kind, params, *whole), state = self.__reduce__()
        twin: P = make(kind, copy.deepcopy(params, memo), *whole)
        memo[id(self)] = twin
        twin.__dict__.update(copy.deepcopy(state, memo))
        return twin

    # scikit-learn.

    def get_params(self, deep: bool = True) -> Dict[str, Any]:
        """The parameters with which the policy was made.

        A subclass with its own ``__init__`` has the parameters of that ``__init__``. The value of each is the
        attribute of the same name if there is one, and otherwise the argument of the call.

        >>> import moglb
        >>> moglb.PUcb(2, ["click"], n_arms=3).get_params()["n_arms"]
        3
        """
        if self._given is None:
            return dict(self._params)
        return {name: self.__dict__.get(name, value) for name, value in self._given.items()}

    def set_params(self: P, **params: Any) -> P:
        """Starts again with other parameters; everything learned is lost.

        >>> import moglb
        >>> moglb.MoglbUcb(2, ["click"]).set_params(seed=3).get_params()["seed"]
        3
        """
        known = self.get_params()
        for name in params:
            if not self._accepts(name):
                raise ParametersError(f"{type(self).__name__} has no parameter {cut(name)}: {', '.join(known)}")
        # A new policy is made first, so that refused parameters change nothing.
        twin = type(self)(**{**known, **params})
        self._take(*twin._whole())
        self.__dict__.update(twin.__dict__)
        return self

    def clone(self: P) -> P:
        """Makes a policy with the same parameters that has learned nothing.

        >>> import moglb
        >>> policy = moglb.MoglbUcb(2, ["click"])
        >>> policy.learn([0.6, 0.1], [1.0])
        >>> policy.t, policy.clone().t
        (1, 0)
        """
        return type(self)(**copy.deepcopy(self.get_params()))

    def __sklearn_clone__(self: P) -> P:
        return self.clone()

    def partial_fit(self: P, X: ArrayLike, Y: ArrayLike, arms: Optional[Sequence[int]] = None) -> P:
        """Learns many reward vectors; see :meth:`learn_many`. Returns the policy.

        >>> import moglb
        >>> moglb.MoglbUcb(2, ["click"]).partial_fit([[0.6, 0.1]], [[1.0]]).t
        1
        """
        self.learn_many(X, Y, arms)
        return self

    # The names of these methods in River, bayesianbandits and Optuna.

    def pull(self, arms: Optional[Arms] = None) -> int:
        """The position of the arm to play: ``decide(arms).arm``.

        >>> import moglb
        >>> moglb.MoglbUcb(2, ["click"]).pull([[0.6, 0.1]])
        0
        """
        return self.decide(arms, tables=False).arm

    def update(self, x: Union[ArrayLike, int], reward: ArrayLike, arm: Optional[int] = None) -> None:
        """Learns a reward vector; another name of :meth:`learn`."""
        self.learn(x, reward, arm)

    def ask(self, arms: Optional[Arms] = None) -> Ask:
        """Draws an arm to play. The result contains its context, and is passed to :meth:`tell`, here or in
        another process.

        >>> import moglb
        >>> policy = moglb.MoglbUcb(2, ["click"], seed=7)
        >>> question = policy.ask([[0.6, 0.1], [0.2, 0.7]])
        >>> policy.tell(question, [1.0])
        >>> policy.t
        1
        """
        if arms is None:
            decision, context = self._decide_fixed()
            return Ask(decision.arm, context, decision)
        given = arms if isinstance(arms, ArmSet) else ArmSet(arms)
        decision = self.decide(given)
        return Ask(decision.arm, given.context(decision.arm), decision)

    def tell(self, question: Ask, reward: ArrayLike) -> None:
        """Learns the reward vector of an arm from :meth:`ask`."""
        self.learn(question.context, reward, question.arm)

    # For people: properties, figures and texts.

    @property
    def objectives(self) -> Tuple[Objective, ...]:
        """The objectives, in the order of the reward vector."""
        return as_objectives(self._params["objectives"])

    @property
    def dim(self) -> int:
        """The number of features of a context."""
        return int(self._params["dim"])

    def plot_front(self, arms: Arms, objectives: Tuple[int, int] = (0, 1), ax: "Optional[_Axes]" = None) -> "_Axes":
        """Plots the arms in the plane of two objectives: estimates, confidence bounds, and the front."""
        from .plotting import plot_front

        return plot_front(self, arms, objectives, ax)

    def __repr__(self) -> str:
        usual = {"radius": 1.0, "n_arms": None, "seed": 0, "kappa": "shared"}
        shown = [f"{name}={value!r}" for name, value in self.get_params().items() if value != usual.get(name)]
        return f"{type(self).__name__}({', '.join(shown)}, t={self.t})"

    def _repr_html_(self) -> str:
        cells = ((one.to_dict()[key] for key in ("name", "link", "direction")) for one in self.objectives)
        rows = "".join("<tr>" + "".join(f"<td>{html.escape(text)}</td>" for text in row) + "</tr>" for row in cells)
        return (
            f"<b>{type(self).__name__}</b>, d = {self.dim}, t = {self.t}"
            f"<table><tr><th>objective</th><th>link</th><th>direction</th></tr>{rows}</table>"
        )


class MoglbEb(Policy):
    """MOGLB-EB, the recommended policy. Objectives learn from each other, and it plays arms that are probably
    on the front.

    - ``dim``, ``objectives``, ``radius``, ``n_arms``, ``seed``: as in :class:`MoglbUcb`.
    - ``threshold``: the probability of being on the front from which arms are played equally often. The exact
      level is a = ``threshold``·(1 + 3b), where b is the expected share of all arms on the front; it is at
      most 0.7 (or the threshold, if that is larger), and at most the largest probability of an arm. An arm
      with a probability p below a is played (p/a)⁴ times as often. A lower threshold shows more of the front
      and has more regret. ``moglb.policies()`` has its default.
    - ``samples``: the number of samples of the coefficients from which the probabilities are estimated.
    - ``discount``, ``prior``: as in :class:`MoglbUcb`.

    ``Decision.front`` is the set with the largest expected Jaccard index. Arms are drawn from another set,
    that of all arms with positive ``Decision.probabilities``: every arm that is on the front in at least one
    sample. ``Decision.widths`` are posterior standard deviations, not certified bounds. There is no proof for
    this policy; :class:`MoglbUcb` has one.

    Rewards are learned in batches, of one reward at first and of at most ten. ``theta``, ``shared_mean``,
    ``scales``, ``chances`` and decisions do not include the rewards since the last batch. Snapshots do.

    >>> import moglb
    >>> policy = moglb.MoglbEb(2, ["click", "view"], seed=7)
    >>> X = [[0.6, 0.1], [0.2, 0.7], [0.1, 0.1]]
    >>> for _ in range(200):
    ...     d = policy.decide(X)
    ...     policy.learn(X[d.arm], [[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]][d.arm])
    >>> policy.theta.shape, policy.shared_mean.shape, policy.chances(X).shape
    ((2, 2), (2,), (3,))
    """

    id = "moglb-eb"
    _own = ("threshold", "samples", "discount", "prior")

    def __init__(
        self,
        dim: int,
        objectives: Objectives,
        *,
        threshold: Optional[float] = None,
        samples: Optional[int] = None,
        discount: float = 1.0,
        prior: Optional[Sequence[Optional[PriorLike]]] = None,
        radius: float = 1.0,
        n_arms: Optional[int] = None,
        seed: int = 0,
    ) -> None:
        self._build(
            dim, objectives, radius, n_arms, seed, threshold=threshold, samples=samples, discount=discount, prior=prior
        )

    @property
    def theta(self) -> NDArray[np.float64]:
        """The posterior means of the coefficients θ, one row per objective, in the objective's own
        direction."""
        return self._theta()

    @property
    def shared_mean(self) -> NDArray[np.float64]:
        """The posterior mean of the coefficients that the objectives share.

        Larger is better here: minimized objectives count with the opposite sign.
        """
        return self._shared_mean()

    @property
    def scales(self) -> Tuple[float, float]:
        """The learned variances τ² and ρ².

        τ² is the variance of coefficients around the shared mean, and ρ² is the variance of the shared mean's
        entries around their common level.
        """
        return self._scales()

    def chances(self, arms: Optional[Arms] = None) -> NDArray[np.float64]:
        """The posterior probability of each arm to be on the Pareto front; by default for the fixed arms.

        >>> import moglb
        >>> moglb.MoglbEb(2, ["click", "view"]).chances([[0.6, 0.1]]).tolist()
        [1.0]
        """
        return self._chances(arms)


class MoglbUcb(Policy):
    """MOGLB-UCB, the paper's algorithm.

    - ``dim``: the number of features d of a context.
    - ``objectives``: a list of :class:`Objective`, names (maximized, logit), or mappings; or only their
      number.
    - ``width``: the width of confidence sets, :class:`Tuned` (default, with ``c`` = 0.01), :class:`Proved` or
      :class:`Tightened`.
    - ``lambda_``: λ, with Z_1 = λI. The default is max(1, κ/2), which is also the smallest λ allowed.
    - ``kappa``: "shared", one Z for all objectives as in the paper, or "per-objective".
    - ``discount``: the factor of the weight of old rewards with each later reward, at least 1 - 1/(2d); with
      1 nothing is forgotten.
    - ``prior``: the belief before the first round, a :class:`Prior` or ``None`` for each objective.
    - ``radius``: D, the bound of every ‖θ‖. Predictions of a logit objective lie between μ(-D) and μ(D).
    - ``n_arms``: the number of arms, if it is fixed; arm sets of another size are then refused.
    - ``seed``: the seed of the generator that arms are drawn with.

    >>> import moglb
    >>> policy = moglb.MoglbUcb(dim=2, objectives=[moglb.Objective("click", link="logit"),
    ...     moglb.Objective("cost", link="identity", direction="minimize", range=(0.0, 1.0))], seed=7)
    >>> X = [[0.6, 0.1], [0.2, 0.7], [0.5, 0.5]]
    >>> d = policy.decide(X)
    >>> policy.learn(X[d.arm], [1.0, 0.3])
    >>> policy.decide(X).probabilities.sum().item()
    1.0
    """

    id = "moglb-ucb"

    def __init__(
        self,
        dim: int,
        objectives: Objectives,
        *,
        width: Optional[Width] = None,
        lambda_: Optional[float] = None,
        kappa: str = "shared",
        discount: float = 1.0,
        prior: Optional[Sequence[Optional[PriorLike]]] = None,
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
            width=width,
            lambda_=lambda_,
            kappa=kappa,
            discount=discount,
            prior=prior,
        )

    @classmethod
    def _policy_config(cls, params: Dict[str, Any]) -> Dict[str, Any]:
        own = {"lambda": params["lambda_"], "kappa": params["kappa"], "discount": params["discount"]}
        prior = {} if params["prior"] is None else {"prior": params["prior"]}
        return {**width_params(params["width"]), **own, **prior}

    @classmethod
    def _policy_params(cls, config: Dict[str, Any]) -> Dict[str, Any]:
        width: Width
        if config["width"] == "tuned":
            width = Tuned(config["c"])
        else:
            width = (Proved if config["width"] == "proved" else Tightened)(config["delta"])
        return {
            "width": width,
            "lambda_": config.get("lambda"),
            "kappa": config["kappa"],
            "discount": config.get("discount", 1.0),
            "prior": config.get("prior"),
        }

    @property
    def theta(self) -> NDArray[np.float64]:
        """The estimates θ̂, one row per objective."""
        return self._theta()

    @property
    def z(self) -> NDArray[np.float64]:
        """The Gram matrix Z; one for each objective if κ is per objective."""
        return self._z()

    @property
    def log_det(self) -> Union[float, NDArray[np.float64]]:
        """The number log(det Z_t / det λI), with λI = Z_1 without a prior; one for each objective if κ is per
        objective."""
        return self._log_det()

    @property
    def gamma(self) -> Union[float, NDArray[np.float64]]:
        """The squared width factor γ of the next decision; one for each objective if they differ."""
        return self._gamma()


class EkfUcb(Policy):
    """EKF-UCB: MOGLB-UCB with the Fisher information of each round in place of κ/2, and a Gram matrix per
    objective.

    - ``dim``, ``objectives``, ``radius``, ``n_arms``, ``seed``: as in :class:`MoglbUcb`.
    - ``lambda_``: λ, with H_1 = λI for each objective.
    - ``c``: the factor of the width, γ = c·log(det H_t / det H_1).
    - ``discount``, ``prior``: as in :class:`MoglbUcb`.
    - ``objective``: the index (from 0) of the only objective that counts, for a single-objective control. The
      front is then the arms with the largest score in that objective. Pareto regret alone does not show the
      part of the front that such a policy misses; measures of coverage do.

    >>> import moglb
    >>> policy = moglb.EkfUcb(2, ["click", "view"], seed=7)
    >>> X = [[0.6, 0.1], [0.2, 0.7], [0.5, 0.5]]
    >>> d = policy.decide(X)
    >>> policy.learn(X[d.arm], [1.0, 0.0])
    >>> policy.theta.shape, policy.z.shape
    ((2, 2), (2, 2, 2))
    """

    id = "ekf-ucb"
    _own = ("lambda_", "c", "objective", "discount", "prior")

    def __init__(
        self,
        dim: int,
        objectives: Objectives,
        *,
        lambda_: float = 3.0,
        c: float = 0.01,
        objective: Optional[int] = None,
        discount: float = 1.0,
        prior: Optional[Sequence[Optional[PriorLike]]] = None,
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
            c=c,
            objective=objective,
            discount=discount,
            prior=prior,
        )

    @property
    def theta(self) -> NDArray[np.float64]:
        """The estimates θ̂, one row per objective."""
        return self._theta()

    @property
    def z(self) -> NDArray[np.float64]:
        """The Gram matrices H, one for each objective."""
        return self._z().reshape(-1, self.dim, self.dim)

    @property
    def log_det(self) -> NDArray[np.float64]:
        """The number log(det H_t / det λI) of each objective, with λI = H_1 without a prior."""
        return np.atleast_1d(self._log_det())

    @property
    def gamma(self) -> NDArray[np.float64]:
        """The squared width factor γ of each objective for the next decision."""
        return np.atleast_1d(self._gamma())


class PUcb(Policy):
    """Pareto UCB1: no contexts, one fixed set of ``n_arms`` arms.

    ``front_size`` is the size of the true front, which its index uses; by default the number of arms.

    >>> import moglb
    >>> policy = moglb.PUcb(2, ["click", "view"], n_arms=3)
    >>> policy.learn(1, [1.0, 0.0])
    >>> policy.t
    1
    """

    id = "p-ucb"
    _own = ("front_size",)

    def __init__(
        self,
        dim: int,
        objectives: Objectives,
        *,
        front_size: Optional[int] = None,
        radius: float = 1.0,
        n_arms: Optional[int] = None,
        seed: int = 0,
    ) -> None:
        self._build(dim, objectives, radius, n_arms, seed, front_size=front_size)


class SUcb(Policy):
    """Scalarized UCB1: no contexts, one fixed set of ``n_arms`` arms.

    ``weights`` has one nonnegative number for each objective; by default all are equal.

    >>> import moglb
    >>> moglb.SUcb(2, ["click", "view"], n_arms=3, weights=[0.7, 0.3])
    SUcb(dim=2, objectives=['click', 'view'], weights=[0.7, 0.3], n_arms=3, t=0)
    """

    id = "s-ucb"
    _own = ("weights",)

    def __init__(
        self,
        dim: int,
        objectives: Objectives,
        *,
        weights: Optional[Sequence[float]] = None,
        radius: float = 1.0,
        n_arms: Optional[int] = None,
        seed: int = 0,
    ) -> None:
        self._build(dim, objectives, radius, n_arms, seed, weights=weights)


class PTs(Policy):
    """Pareto Thompson sampling: no contexts, one fixed set of ``n_arms`` arms.

    >>> import moglb
    >>> policy = moglb.PTs(2, ["click"], n_arms=3)
    >>> policy.learn(1, [1.0])
    >>> policy.predict([[0.0, 0.0]] * 3).round(3).ravel().tolist()
    [0.5, 0.667, 0.5]
    """

    id = "p-ts"

    def __init__(
        self,
        dim: int,
        objectives: Objectives,
        *,
        radius: float = 1.0,
        n_arms: Optional[int] = None,
        seed: int = 0,
    ) -> None:
        self._build(dim, objectives, radius, n_arms, seed)


class Random(Policy):
    """The uniform control: plays every arm with the same probability.

    >>> import moglb
    >>> moglb.Random(2, ["click"]).decide([[0.6, 0.1], [0.2, 0.7]]).probability
    0.5
    """

    id = "random"

    def __init__(
        self,
        dim: int,
        objectives: Objectives,
        *,
        radius: float = 1.0,
        n_arms: Optional[int] = None,
        seed: int = 0,
    ) -> None:
        self._build(dim, objectives, radius, n_arms, seed)


WRITTEN: Tuple[Type[Policy], ...] = (MoglbEb, MoglbUcb, EkfUcb, PUcb, SUcb, PTs, Random)
"""The policies whose classes are written in this file; all other classes are made from descriptions."""


def make(id: str, dim: int, objectives: Objectives, **params: Any) -> Policy:
    """Makes a policy from its id in experiments.

    >>> import moglb
    >>> moglb.make("p-ts", 2, ["click"], n_arms=4)
    PTs(dim=2, objectives=['click'], n_arms=4, t=0)
    """
    return _class_of(id)(dim=dim, objectives=objectives, **params)


def policies() -> List[Dict[str, Any]]:
    """The descriptions of all policies: source, setting, guarantee, cost and parameters.

    >>> import moglb
    >>> [p["id"] for p in moglb.policies()][:3]
    ['moglb-eb', 'moglb-ucb', 'ekf-ucb']
    """
    known: List[Dict[str, Any]] = json.loads(_moglb.policies())
    return known


def from_json(text: str, seed: int = 0) -> Policy:
    """Restores a policy of any kind from its JSON."""
    return Policy.from_json(text, seed)


def _class_of(id: str) -> Type[Policy]:
    """The class of a policy of the package, by its id."""
    from .rivals import RIVALS

    known = WRITTEN + RIVALS
    if not isinstance(id, str):
        raise InputTypeError(f"the id of a policy is text, got {type(id).__name__}")
    for kind in known:
        if kind.id == id:
            return kind
    raise ParametersError(f"there is no policy {cut(id)}: {', '.join(kind.id for kind in known)}")


def _unpickle(kind: Type[P], params: Dict[str, Any], data: bytes, rng_state: str, arms: Optional[ArmSet]) -> P:
    # A pickle may come from anywhere, so its parameters are compared with those of its snapshot.
    if not (isinstance(kind, type) and issubclass(kind, Policy) and isinstance(params, dict)):
        raise InputTypeError("a pickled policy is a policy's class and its parameters")
    try:
        whole("seed", params["seed"])
        problem, config = kind._configs(params)
    except KeyError as error:
        raise SnapshotPolicyError(f"a pickled {kind.__name__} lacks the parameter {shown(error.args[0])}") from None
    kind._check_made_with(data, problem, config)
    policy = kind.__new__(kind)
    policy._params = params
    policy._take(data, rng_state, arms)
    return policy
