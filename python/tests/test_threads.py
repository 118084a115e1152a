"""Many threads on one policy: readers at once, writers one by one, and nobody waits for the interpreter's lock."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np

import moglb


def test_readers_and_writers_leave_a_policy_that_has_learned_all(objectives, arms):
    policy = moglb.MoglbUcb(3, objectives, seed=1)
    stop = threading.Event()
    failures = []

    def read():
        while not stop.is_set():
            try:
                decision = policy.decide(arms)
                assert decision.probabilities.sum() > 0.999
                assert decision.arm in decision.front
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


def test_parallel_decisions_draw_what_one_thread_would_draw_in_some_order(objectives, arms):
    one, many = (moglb.MoglbUcb(3, objectives, seed=9) for _ in range(2))
    alone = sorted(one.decide(arms).arm for _ in range(400))
    with ThreadPoolExecutor(4) as pool:
        together = sorted(pool.map(lambda _: many.decide(arms).arm, range(400)))
    assert alone == together
    assert one.rng_state == many.rng_state


def test_other_threads_run_while_the_engine_works():
    """A counting thread gets on while a long decision is made: without releasing the lock it would stand still."""
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
