"""Measures the peers. Reads one request per line and prints one result per line, as JSON, until end of input.

{"do": "versions"}
{"do": "rounds", "variant": ..., "files": [...], "arms": K, "dim": d, "first": t0, "last": t1, "batch": b}
{"do": "trials", "variant": ..., "files": [...], "arms": K, "dim": d, "last": T}
{"do": "front", "tool": "moocore" | "paretoset", "file": ..., "objectives": m}

An instance file has m = 5 rows of d coefficients and K rows of d features; a file of points has n rows of m.
All numbers are little-endian f64. Times are CPU time of the thread, in seconds.
"""
import os

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ[name] = "1"

import json
import platform
import sys
from importlib.metadata import version
from time import thread_time

import moocore
import numpy as np
from paretoset import paretoset

from moglb_numpy import MoglbUcb, means

M = 5
BUDGET = 0.1  # seconds for repeated calls
WINDOW_LIMIT = 10.0  # seconds for the rounds of one window
PACKAGES = ("numpy", "scipy", "numba", "moocore", "paretoset")


def spread(samples):
    s = sorted(samples)
    return {"median": s[len(s) // 2], "min": s[0], "p90": s[len(s) * 9 // 10], "samples": len(s)}


def measure(work):
    """Seconds per call, measured like the library in the benchmark: in batches of a millisecond."""
    begin = thread_time()
    work()
    first = thread_time() - begin
    if first > 4 * BUDGET:
        return spread([first])
    begin = thread_time()
    work()
    batch = int(1e-3 / (thread_time() - begin + 1e-9)) + 1
    samples, start = [], thread_time()
    while len(samples) < 2000 and (len(samples) < 3 or thread_time() - start < BUDGET):
        begin = thread_time()
        for _ in range(batch):
            work()
        samples.append((thread_time() - begin) / batch)
    return spread(samples)


class Player:
    """A policy on instances that take turns; on one instance if the arms are fixed."""

    def __init__(self, question, files, seed):
        d = question["dim"]
        data = [np.fromfile(file, "<f8").reshape(-1, d) for file in files]
        self.sets = [np.ascontiguousarray(rows[M:]) for rows in data]
        assert all(len(arms) == question["arms"] for arms in self.sets)
        self.means = [means(arms @ rows[:M].T) for arms, rows in zip(self.sets, data)]
        self.policy = MoglbUcb(question["variant"], self.sets[0], M, seed=seed)
        self.rng = np.random.default_rng(seed + 1)
        self.t = 0

    def round(self):
        now, then = self.t % len(self.sets), (self.t + 1) % len(self.sets)
        arm = self.policy.decide()
        reward = (self.rng.random(M) < self.means[now][arm]).astype(float)
        self.policy.learn(self.sets[now][arm], reward, self.sets[then])
        self.t += 1


def rounds(question):
    first, last, batch = question["first"], question["last"], question["batch"]
    player = Player(question, question["files"], 0)
    whole = thread_time()
    while player.t < first and thread_time() - whole < WINDOW_LIMIT:
        player.round()
    before, samples, fronts = player.policy.projections, [], 0
    from_t, begin = player.t, thread_time()
    while player.t < last and (len(samples) < 3 or thread_time() - whole < WINDOW_LIMIT):
        player.round()
        fronts += len(player.policy.front)
        if (player.t - from_t) % batch == 0:
            now = thread_time()
            samples.append((now - begin) / batch)
            begin = now
    played = player.t - from_t
    hits = player.policy.projections - before
    return {"spread": spread(samples), "extra": {"projections": hits / played, "front": fronts / played, "until": player.t}}


def trials(question):
    total = 0.0
    for seed, file in enumerate(question["files"]):
        player = Player(question, [file], seed)
        begin = thread_time()
        while player.t < question["last"]:
            player.round()
        total += thread_time() - begin
    return {"spread": spread([total])}


def tool(name):
    if name == "moocore":
        return lambda costs: moocore.is_nondominated(costs, keep_weakly=True)
    return lambda costs: paretoset(costs, distinct=False, use_numba=True)


def front(question):
    call = tool(question["tool"])
    points = np.fromfile(question["file"], "<f8").reshape(-1, question["objectives"])
    costs = np.ascontiguousarray(-points)  # minimization, as the tools expect by default
    call(costs[:50].copy())  # compilation is not timed
    found = {}
    times = measure(lambda: found.__setitem__("mask", call(costs)))
    return {"spread": times, "extra": {"front": int(found["mask"].sum())}}


def versions(_):
    return {"note": f"Python {platform.python_version()}, " + ", ".join(f"{name} {version(name)}" for name in PACKAGES)}


def main():
    answers = {"versions": versions, "rounds": rounds, "trials": trials, "front": front}
    for line in sys.stdin:
        question = json.loads(line)
        try:
            answer = answers[question["do"]](question)
        except Exception as error:  # the benchmark continues without this number and reports the reason
            answer = {"note": f"failed: {type(error).__name__}: {error}"}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
