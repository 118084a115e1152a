"""Environments with vector rewards, like those of MO-Gymnasium, and a runner for any policy on any such
environment.

A step plays an arm. The observation contains the contexts on offer, the action is the position of an arm, the
reward is the reward vector, and ``reward_space`` has its bounds. An episode has ``horizon`` rounds.

>>> import moglb.gym                                              # doctest: +SKIP
>>> env = moglb.gym.BanditEnv("paper", dim=5, horizon=100)        # doctest: +SKIP
>>> policy = moglb.MoglbUcb(**env.problem)                        # doctest: +SKIP
>>> moglb.gym.play(policy, env, n_steps=100)["pareto_regret"]     # doctest: +SKIP
"""

from __future__ import annotations

from typing import Any, Dict, Optional, Tuple

import numpy as np
from numpy.typing import NDArray

from ._arrays import whole
from ._environments import Environment, environments
from ._shown import shown
from .errors import InputTypeError, MissingDependencyError, ParametersError

try:
    import gymnasium
    from gymnasium import spaces
except ImportError:
    raise MissingDependencyError("gymnasium is not installed: pip install 'moglb[gym]'") from None

Observation = NDArray[np.float64]


class BanditEnv(gymnasium.Env):  # type: ignore[misc]
    """A simulated problem as an environment with vector rewards.

    ``reset(seed=...)`` draws the instance of that seed. ``info`` contains the round and, after a step, the
    truth about the played arm: its expected rewards, its Pareto gap, and a flag that is true if the arm is on
    the true front.
    """

    metadata: Dict[str, Any] = {"render_modes": []}

    def __init__(
        self,
        id: str,
        *,
        horizon: int = 3000,
        seed: int = 1,
        trial: int = 0,
        render_mode: Optional[str] = None,
        **params: Any,
    ) -> None:
        horizon = whole("horizon", horizon, least=1)
        if render_mode is not None:
            raise ParametersError(f"there is nothing to see: render_mode must be None, got {shown(render_mode)}")
        self._config = {"id": id, **params}
        self._trial = trial
        self._horizon = horizon
        self.render_mode = render_mode
        self._draw(seed)
        n_arms, dim = self._world.arms().shape
        self.observation_space = spaces.Box(-1.0, 1.0, shape=(n_arms, dim), dtype=np.float64)
        self.action_space = spaces.Discrete(n_arms)
        ranges = np.array(self._world._ranges())
        self.reward_space = spaces.Box(ranges[:, 0], ranges[:, 1], dtype=np.float64)
        self.reward_dim = len(ranges)
        self._t = 1

    def _draw(self, seed: int) -> None:
        self._world = Environment(**self._config, seed=seed, trial=self._trial)

    @property
    def world(self) -> Environment:
        """The instance behind the environment, with its true means and fronts."""
        return self._world

    @property
    def problem(self) -> Dict[str, Any]:
        """The problem that policies are built for: ``MoglbUcb(**env.problem)`` is one for this
        environment."""
        return self._world.problem

    def reset(
        self, *, seed: Optional[int] = None, options: Optional[Dict[str, Any]] = None
    ) -> Tuple[Observation, Dict[str, Any]]:
        """Starts an episode: with a seed on the instance of that seed, otherwise on the same instance with
        new rewards."""
        super().reset(seed=seed)
        if seed is not None:
            self._draw(seed)
        self._t = 1
        return self._world.arms(1), {"t": 1}

    def step(self, action: Any) -> Tuple[Observation, NDArray[np.float64], bool, bool, Dict[str, Any]]:
        """Plays an arm. Returns observation, reward, terminated (always false), truncated, and info."""
        arm, t = whole("an action", action, most=int(self.action_space.n) - 1), self._t
        reward = self._world.pull(arm, t)
        info = {
            "t": t,
            "means": self._world.means(t)[arm],
            "pareto_gap": float(self._world.gaps(t)[arm]),
            "on_front": bool(arm in self._world.front(t)),
        }
        self._t += 1
        truncated = self._t > self._horizon
        return self._world.arms(self._t), reward, False, truncated, info

    def render(self) -> None:
        """Does nothing: there is nothing to render."""


def register() -> None:
    """Registers every environment with Gymnasium, for ``gymnasium.make("moglb/paper-v0", dim=5)``."""
    for id in environments():
        name = f"moglb/{id}-v0"
        if name not in gymnasium.registry:
            # The checker is disabled because it warns about every reward that is a vector.
            gymnasium.register(
                name,
                entry_point="moglb.gym:BanditEnv",
                kwargs={"id": id},
                disable_env_checker=True,
                order_enforce=False,
            )


def play(policy: Any, env: Any, n_steps: int = 1000, *, seed: Optional[int] = None) -> Dict[str, NDArray[Any]]:
    """Plays a policy on an environment whose observations are contexts (arms × features) and whose rewards
    are vectors.

    ``policy`` is any object with ``decide(X)`` and ``learn(x, reward, arm)``. Returns the arms, the rewards,
    and the cumulative Pareto regret, which is NaN if ``info`` has no ``pareto_gap``.
    """
    if not hasattr(env, "step"):
        raise InputTypeError(f"an environment has reset and step, {type(env).__name__} has not")
    observation, _ = env.reset(seed=seed)
    arms, rewards, gaps = [], [], []
    for _ in range(whole("n_steps", n_steps)):
        contexts = np.asarray(observation, dtype=np.float64)
        decision = policy.decide(contexts)
        arm = int(getattr(decision, "arm", decision))
        observation, reward, terminated, truncated, info = env.step(arm)
        policy.learn(contexts[arm], np.asarray(reward, dtype=np.float64), arm)
        arms.append(arm)
        rewards.append(reward)
        gaps.append(info.get("pareto_gap", np.nan))
        if terminated or truncated:
            observation, _ = env.reset()
    return {
        "arms": np.array(arms, dtype=np.int64),
        "rewards": np.array(rewards, dtype=np.float64),
        "pareto_regret": np.cumsum(gaps),
    }


register()
