"""Children of a fork. Objects that another thread was using are refused, all others work, and nothing
hangs."""

import contextlib
import math
import multiprocessing
import os
import signal
import sys
import threading
import warnings

import numpy as np
import pytest

import moglb

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="elsewhere processes are not forked"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]

SECONDS = 5


def forked(work):
    """Runs work in a child of this process. Returns its result as text, or "hung" if it was killed after some
    seconds."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(SECONDS)
        said = "failed"
        with contextlib.suppress(BaseException):
            said = str(work())
        os.write(write, said.encode())
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as pipe:
        said = pipe.read()
    _, status = os.waitpid(child, 0)
    return "hung" if os.WIFSIGNALED(status) else said


def code_of(call):
    try:
        call()
    except moglb.Error as error:
        return error.code
    return "works"


class Gate:
    """A link that blocks the thread that calls it until it is opened."""

    def __init__(self):
        self.closed, self.inside, self.open = False, threading.Event(), threading.Event()

    def __call__(self, z):
        if self.closed and threading.current_thread() is not threading.main_thread():
            self.inside.set()
            self.open.wait(SECONDS)
        return 1 / (1 + math.exp(-z))

    @contextlib.contextmanager
    def held(self, work):
        """Keeps a thread in the middle of its work during the block."""
        self.closed = True
        self.inside.clear(), self.open.clear()
        thread = threading.Thread(target=work)
        thread.start()
        assert self.inside.wait(SECONDS)
        try:
            yield
        finally:
            self.closed = False
            self.open.set()
            thread.join()


@pytest.fixture(scope="module")
def gate():
    gate = Gate()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        moglb.register_link("gate", gate)
    return gate


X = np.array([[0.6, 0.1], [0.2, 0.7]])


def gated():
    policy = moglb.EkfUcb(2, [moglb.Objective("a", link="gate")], seed=3)
    policy.learn(X[0], [1.0])
    return policy


def test_a_policy_that_another_thread_taught_is_refused_in_the_child(gate):
    policy, other = gated(), gated()
    calls = {
        "decide": lambda: policy.decide(X),
        "learn": lambda: policy.learn(X[0], [1.0]),
        "to_bytes": policy.to_bytes,
        "t": lambda: policy.t,
        "pickle": policy.__reduce__,
        "other": lambda: (other.learn(X[0], [1.0]), other.decide(X), other.to_bytes()),
    }
    with gate.held(lambda: policy.learn(X[1], [0.0])):
        said = forked(lambda: {name: code_of(call) for name, call in calls.items()})
    expected = dict.fromkeys(calls, "forked")
    assert said == str({**expected, "other": "works"})
    assert policy.t == 2, "the parent continues"


@contextlib.contextmanager
def deciding(policy, arms):
    """Another thread decides on large arms. It releases the interpreter's lock only inside of that
    decision."""
    begun = threading.Event()
    interval = sys.getswitchinterval()
    thread = threading.Thread(target=lambda: (begun.set(), policy.decide(arms)))
    sys.setswitchinterval(60)
    thread.start()
    try:
        assert begun.wait(SECONDS)
        yield
    finally:
        sys.setswitchinterval(interval)
        thread.join()


def test_a_policy_that_another_thread_read_works_in_the_child():
    """Deciding changes nothing, so the child uses a copy, and so does the child of the child."""
    policy, twin = (moglb.MoglbUcb(16, ["a", "b"], seed=3) for _ in range(2))
    arms = np.random.default_rng(1).uniform(-0.2, 0.2, size=(100_000, 16))
    rewards = [[1.0, 0.0], [0.0, 1.0]]
    for one in (policy, twin):
        one.fix_arms(arms[:5])
        one.learn(2, rewards[0])

    def work():
        for k, reward in enumerate(rewards):
            policy.learn(k, reward), twin.learn(k, reward)
        assert policy.to_bytes() == twin.to_bytes() and policy.t == 3 and len(policy.fixed_arms) == 5
        assert policy.front().tolist() == twin.front().tolist()
        return forked(lambda: (policy.learn(1, rewards[0]), policy.t)[1])

    with deciding(policy, arms):
        said = [forked(work) for _ in range(4)]
    assert said == ["4"] * 4 and policy.t == 1


def test_a_ledger_that_another_thread_used_is_refused_in_the_child(gate):
    policy, other = gated(), gated()
    ledger, unused = moglb.Ledger(policy), moglb.Ledger(other)
    number = ledger.open(X[0])
    with gate.held(lambda: ledger.deliver(number, [1.0])):
        said = forked(lambda: [code_of(lambda: len(one)) for one in (ledger, unused)])
    assert said == "['forked', 'works']"
    assert len(ledger) == 0


def test_others_may_look_at_a_ledger_while_a_link_in_python_learns(gate):
    """A thread that learns waits for the interpreter's lock, so a thread that waits for the ledger must
    release it."""

    def work():
        ledger = moglb.Ledger(gated())
        number = ledger.open(X[0])
        seen = []
        looks = threading.Thread(target=lambda: seen.append(len(ledger)))
        with gate.held(lambda: ledger.deliver(number, [1.0])):
            looks.start()
        looks.join()
        return seen

    assert forked(work) == "[0]"


def large(seed):
    """Work that distributes its rows over threads."""
    rows = np.random.default_rng(seed).uniform(-0.1, 0.1, size=(120_000, 3))
    policy = moglb.MoglbUcb(3, 2, seed=1)
    policy.fix_arms(rows)
    policy.learn(0, [1.0, 0.0])
    decision = policy.decide(tables=False)
    world = {"horizon": 20, "trials": 2, "environments": [{"id": "paper", "dim": 3}], "policies": [{"id": "random"}]}
    results = moglb.run(world, threads=2, progress=False)
    return decision.arm, decision.front.tolist(), int(moglb.front(rows).sum()), results.final()["random"].tolist()


def test_large_decisions_in_children_have_the_bits_of_the_parent():
    expected = large(7)
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map_async(large, [7, 7]).get(timeout=60) == [expected] * 2


def test_forks_while_threads_decide_learn_and_snapshot():
    """Every child returns a result, whatever the threads of its parent were doing."""
    policy = moglb.MoglbUcb(2, ["a"], seed=1)
    stop = threading.Event()

    def play():
        while not stop.is_set():
            policy.decide(X), policy.learn(X[0], [1.0]), policy.to_bytes(), policy.rng_state

    threads = [threading.Thread(target=play) for _ in range(3)]
    for thread in threads:
        thread.start()
    calls = [lambda: policy.decide(X), lambda: policy.learn(X[0], [1.0]), policy.to_bytes]
    try:
        said = [forked(lambda: {code_of(call) for call in calls} <= {"works", "forked"}) for _ in range(40)]
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert said == ["True"] * 40
