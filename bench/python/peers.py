"""Compares moglb from Python with NumPy, MABWiser, PyBandits and contextualbandits, and times calls.

    python bench/python/peers.py                            # K=40, d=10, m=5; report to stdout
    python bench/python/peers.py --sizes 40x10 1000x50      # larger sets too
    python bench/python/peers.py --report FILE              # also write the report to a file
    python bench/python/peers.py --skip pybandits           # without a package

All contestants play the same arm sets with the same random draws and take turns within one run. A turn is a
block of rounds. If something could not be measured, the report has the reason.
"""

import os

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ[name] = "1"
os.environ["TQDM_DISABLE"] = "1"  # PyBandits draws a bar for every fit

import argparse
import gc
import statistics
import sys
import time
import warnings
from pathlib import Path
from time import perf_counter_ns as now

import overhead
import report
from contestants import OURS, PEERS, World

WARM_ROUNDS, WARM_SECONDS = 200, 2.0
TURN_ROUNDS, TURN_SECONDS = 200, 0.1
SLOW_SECONDS, SLOW_TURNS = 1.0, 3  # a contestant that is slower per round plays one round in this many turns
BEGIN = time.monotonic()


class Entry:
    """A contestant with its samples, or the reason why there are none."""

    def __init__(self, name, kind, world, skipped):
        self.name, self.kind, self.world = name, kind, world
        self.turns = {}  # turn → pairs of nanoseconds: decide, learn
        self.t, self.failure, self.arms, self.check = 0, None, set(), ""
        self.cost = 0.0
        if skipped:
            self.failure = "left out of this run"
        else:
            self.guarded(self.start)

    def guarded(self, work, *arguments):
        """Runs a part of a contestant. An exception ends its part and is shown; the others continue."""
        try:
            work(*arguments)
        except (Exception, SystemExit) as error:
            when = f"in round {self.t + 1}: " if self.t else ""
            self.failure = f"{when}{type(error).__name__}: {error}".split("\n")[0][:200]
            progress(f"{self.name}: failed {self.failure}")

    def start(self):
        self.player = self.kind(self.world)
        before = self.player.state()
        self.round()
        if self.player.state() == before:
            raise AssertionError("its state did not change when it learned")
        begin, first = time.monotonic(), self.t
        while self.t < WARM_ROUNDS and (self.t == first or time.monotonic() - begin < WARM_SECONDS):
            sample = self.round()
        self.cost = sum(sample) / 1e9
        self.first = self.t + 1
        self.check = getattr(self.player, "checked", "")

    def round(self):
        arm, decide, learn = self.player.play(self.t)
        if not 0 <= arm < self.world.n_arms:
            raise AssertionError(f"arm {arm} is not one of {self.world.n_arms}")
        self.arms.add(arm)
        self.t += 1
        return decide, learn

    def plays_in(self, turn, n_turns):
        slow = self.cost > SLOW_SECONDS
        return self.failure is None and (not slow or turn in {k * n_turns // SLOW_TURNS for k in range(SLOW_TURNS)})

    def play(self, turn):
        n_rounds = max(1, min(TURN_ROUNDS, int(TURN_SECONDS / max(self.cost, 1e-9))))
        self.turns[turn] = []
        for _ in range(n_rounds):
            self.turns[turn].append(self.round())

    def samples(self, what):
        return [report.PARTS[what](pair) for turn in self.turns.values() for pair in turn]

    def medians(self):
        """The median round of each turn."""
        return {turn: statistics.median(map(sum, pairs)) for turn, pairs in self.turns.items() if pairs}


def compete(n_arms, dim, n_turns, skip):
    world = World(n_arms, dim)
    entries = []
    kinds = {**OURS, **{name: kind for name, (kind, _, _) in PEERS.items()}}
    for name, kind in kinds.items():
        progress(f"K={n_arms}, d={dim}: warming up {name}")
        entries.append(Entry(name, kind, world, kind.package in skip))
    gc.collect()
    gc.freeze()
    for turn in range(n_turns):
        progress(f"K={n_arms}, d={dim}: turn {turn + 1} of {n_turns}")
        shift = turn % len(entries)
        for entry in entries[shift:] + entries[:shift]:
            if entry.plays_in(turn, n_turns):
                gc.collect()
                gc.disable()
                entry.guarded(entry.play, turn)
                gc.enable()
    gc.unfreeze()
    return entries


def call_costs():
    gc.collect()
    gc.disable()
    try:
        return overhead.measure(progress), None
    except Exception as error:
        return [], f"{type(error).__name__}: {error}"
    finally:
        gc.enable()


def clock_cost():
    pairs = []
    for _ in range(10_000):
        start = now()
        pairs.append(now() - start)
    return statistics.median(pairs)


def progress(text):
    print(f"[{time.monotonic() - BEGIN:5.0f} s] {text}", file=sys.stderr, flush=True)


def size(text):
    n_arms, dim = text.split("x")
    return int(n_arms), int(dim)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sizes", nargs="+", type=size, default=[(40, 10)], metavar="KxD", help="default: 40x10")
    parser.add_argument("--turns", type=int, default=20, help="blocks of rounds for each contestant (default: 20)")
    packages = sorted({kind.package for kind, _, _ in PEERS.values()})
    parser.add_argument("--skip", nargs="+", default=[], choices=packages, help="peers to leave out")
    parser.add_argument("--report", type=Path, metavar="FILE", help="write the text into this file too")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    facts = report.facts(clock_cost())
    costs = call_costs()
    results = [(n_arms, dim, compete(n_arms, dim, options.turns, options.skip)) for n_arms, dim in options.sizes]
    facts += [("load after", report.load()), ("run time", f"{time.monotonic() - BEGIN:.0f} s")]
    text = report.markdown(facts, costs, results)
    sys.stdout.write(text)
    if options.report:
        options.report.write_text(text, encoding="utf-8")
    failed = [entry for _, _, entries in results for entry in entries if entry.name in OURS and entry.failure]
    return 1 if failed or costs[1] else 0


if __name__ == "__main__":
    sys.exit(main())
