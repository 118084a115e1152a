"""Many threads on one policy: readers at once, writers one by one, and no thread waits while it holds the
interpreter's lock."""

import multiprocessing
import pickle
import signal
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import moglb

KINDS = [moglb.MoglbEb, moglb.MoglbUcb]


@pytest.mark.parametrize("kind", KINDS)
def test_readers_and_writers_leave_a_policy_that_has_learned_all(objectives, arms, kind):
    policy = kind(3, objectives, seed=1)
    stop = threading.Event()
    failures = []

    def read():
        while not stop.is_set():
            try:
                decision = policy.decide(arms)
                assert decision.probabilities.sum() > 0.999
                assert decision.probability > 0
                policy.front(arms), policy.predict(arms), policy.t, policy.theta
            except Exception as error:  # pragma: no cover
                failures.append(error)
                return

    readers = [threading.Thread(target=read) for _ in range(4)]
    for reader in readers:
        reader.start()

    def write(k):
        for j in range(200):
            policy.learn(arms[(k + j) % 12], [float(j % 2), 0.5])

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(write, range(4)))
    stop.set()
    for reader in readers:
        reader.join()
    assert not failures
    assert policy.t == 800


@pytest.mark.parametrize("kind", KINDS)
def test_parallel_decisions_draw_what_one_thread_would_draw_in_some_order(objectives, arms, kind):
    one, many = (kind(3, objectives, seed=9) for _ in range(2))
    alone = sorted(one.decide(arms).arm for _ in range(400))
    with ThreadPoolExecutor(4) as pool:
        together = sorted(pool.map(lambda _: many.decide(arms).arm, range(400)))
    assert alone == together
    assert one.rng_state == many.rng_state


def test_other_threads_run_while_the_engine_works():
    """A counting thread makes progress during a long decision. It would not if the decision held the
    interpreter's lock."""
    X = np.random.default_rng(0).uniform(-0.1, 0.1, size=(200_000, 32))
    policy = moglb.MoglbUcb(32, 5)
    policy.learn(X[0], [1.0] * 5)
    ticks, stop = [0], threading.Event()

    def count():
        while not stop.is_set():
            ticks[0] += 1
            time.sleep(0.0005)

    thread = threading.Thread(target=count)
    thread.start()
    before = ticks[0]
    inside = []
    for _ in range(3):
        start = ticks[0]
        policy.decide(X)
        inside.append(ticks[0] - start)
    stop.set()
    thread.join()
    assert before >= 0 and max(inside) >= 2, inside


def _work(n, kind):
    X = np.random.default_rng(n).uniform(-0.1, 0.1, size=(200_000, 3))
    policy = kind(3, 2)
    policy.fix_arms(X)
    policy.learn(0, [1.0, 0.0])
    return int(moglb.front(X).sum()), policy.front().tolist()


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere processes are not forked")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("kind", KINDS)
def test_a_forked_child_works_on_though_the_threads_are_gone(kind):
    expected = _work(7, kind)
    with multiprocessing.get_context("fork").Pool(1) as pool:
        assert pool.apply_async(_work, (7, kind)).get(timeout=60) == expected


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers")
def test_others_may_ask_a_policy_while_it_is_simulated_and_signals_too():
    world = moglb.Environment("paper", dim=5)
    policy = moglb.MoglbUcb(**world.problem)
    policy.fix_arms(world.arms())
    heard = []
    before = signal.signal(signal.SIGALRM, lambda *_: heard.append(policy.t))
    signal.setitimer(signal.ITIMER_REAL, 0.02, 0.02)
    try:
        moglb.simulate(policy, world, horizon=200_000)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    # The last signal may come after the end of the run, before the timer is stopped.
    assert 0 in heard and set(heard) <= {0, 200_000}, "what is learned is taken over at the end"
    assert policy.t == 200_000 and len(policy.fixed_arms) == 20
    assert policy.decide(tables=False).arm in policy.front()


def test_a_run_that_fails_leaves_the_policy_as_it_was():
    world = moglb.Environment("paper", dim=5)
    policy = moglb.MoglbUcb(4, 5)
    policy.fix_arms(np.eye(4))
    state = policy.to_bytes()
    with pytest.raises(moglb.errors.DimensionError):
        moglb.simulate(policy, world, horizon=10)
    assert policy.to_bytes() == state and len(policy.fixed_arms) == 4


@pytest.mark.parametrize("kind", KINDS)
def test_a_pickle_holds_one_moment(objectives, arms, kind):
    """A decision draws one word of 64 bits, then its reward is learned: state and generator differ by at most
    one decision."""
    policy = kind(3, objectives, seed=1)
    stop = threading.Event()

    def play():
        while not stop.is_set():
            policy.decide(arms)
            policy.learn(arms[0], [1.0, 0.5])

    thread = threading.Thread(target=play)
    thread.start()
    twins = [pickle.loads(pickle.dumps(policy)) for _ in range(500)]
    stop.set()
    thread.join()
    assert twins[-1].t > 0
    for twin in twins:
        decided = int(twin.rng_state.split(":")[3]) // 2
        assert decided - twin.t in (0, 1)
