"""The report: Markdown made from the samples, in the style of docs/performance.md."""

import datetime
import os
import platform
import statistics
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from contestants import OURS, PEERS

import moglb

GOAL_NS = 1500
PARTS = {"decide": lambda pair: pair[0], "learn": lambda pair: pair[1], "round": sum}
PACKAGES = ("numpy", "scipy", "moocore", "mabwiser", "pybandits", "contextualbandits")

HEAD = """# Performance from Python

Written by `python bench/python/peers.py --report FILE`; all numbers and verdicts are from one run on the
machine below. Do not edit by hand.

"""
READING = """
**How to read the times.** Times are the median with [10th – 90th percentile] of wall-clock time, with the
garbage collector off. Contestants take turns on the same arm sets with the same random draws; a ratio is that
of the median rounds within a turn, and its range is over the turns. The verdict is that of the median. The
time of reading the clock is not subtracted. Other programs may share the machine. If something was not
measured in this run, the report has the reason and no numbers from earlier runs.
"""
OVERHEAD = """
## A call from Python

K=40, d=10, m=5. The overhead of a call is the time of one of 200 calls minus the time of the same work
inside one call of `decide_many` or `learn_many` with 200 rows; differences are taken within a repetition.
The batches check each arm set once, while an `ArmSet` was checked before, and they read the copies of the
arms from a slower cache, so the plain difference is too small. The upper estimate adds the check, measured
as the difference between `decide(X)` and `decide(arm_set)`. A whole call that does almost no work is another
upper bound on the cost of crossing into Rust.

"""
ROUNDS = """
## Whole rounds, K={n_arms}, d={dim}, m=5

A round is one decision and one update; the reward is drawn between them, and that is not timed. {n_sets} arm
sets take turns; fixed arms are always the first set. MABWiser, contextualbandits and PyBandits do not support
arms with features: they take one context of d features per decision and keep a model per arm. Their context
is the mean of the features of all arms, and they receive the reward of the arm that they choose. That is a
different and statistically poorer problem at the same K, d and m; all K·d features as the context would be
closer, but far slower for them. MABWiser and contextualbandits learn one number per round, or five models of
one number each, and find no front. NumPy runs the same algorithm: its `decide` only draws, and `learn` finds
the front of the next round, so only whole rounds can be compared.

"""


def markdown(facts, costs, results):
    judged = list(verdicts(costs, results))
    out = HEAD + "| | |\n|---|---|\n" + "".join(row(name, value) for name, value in facts) + READING
    counts = [sum(verdict == wanted for _, verdict in judged) for wanted in ("met", "missed", "not measured")]
    out += f"\n**{counts[0]} goals met, {counts[1]} missed, {counts[2]} not measured.**"
    missed = [f"- {text}\n" for text, verdict in judged if verdict == "missed"]
    out += (" Missed:\n\n" + "".join(missed)) if missed else "\n"
    out += OVERHEAD + overhead(*costs)
    for n_arms, dim, entries in results:
        out += ROUNDS.format(n_arms=n_arms, dim=dim, n_sets=entries[0].world.n_sets)
        out += goals(entries) + ways(entries) + numbers(entries)
    return out


def verdicts(costs, results):
    """Each goal as a text, with its verdict."""
    samples, failure = costs
    if failure:
        yield "the overhead of a call", "not measured"
    for what, times, judged in samples:
        if judged:
            found = statistics.median(times)
            yield f"call: {what}: ≤ {micro(GOAL_NS)} wanted, {micro(found)} found", verdict(found <= GOAL_NS)
    for n_arms, dim, entries in results:
        for entry, ours, goal in held(entries):
            ratio = ratios(entry, ours)
            text = f"K={n_arms}, d={dim}: ≥ {goal}× as fast as {entry.name} wanted"
            if goal and not ratio:
                yield text, "not measured"
            elif goal:
                yield f"{text}, {digits(ratio[0])}× found", verdict(ratio[0] >= goal)


def overhead(samples, failure):
    if failure:
        return f"not measured: {failure}\n"
    out = "| what | median [p10 – p90] | repetitions | must reach | verdict |\n|---|---|---|---|---|\n"
    for what, times, judged in samples:
        low, middle, high = spread(times)
        found = f"{micro(middle)} [{micro(low)} – {micro(high)}]"
        end = (f"≤ {micro(GOAL_NS)}", bold(verdict(middle <= GOAL_NS))) if judged else ("–", "–")
        out += row(what, found, len(times), *end)
    return out


def held(entries):
    """Each peer with the way to use moglb that it is compared with, and the goal."""
    by_name = {entry.name: entry for entry in entries}
    for name, (_, against, goal) in PEERS.items():
        if name in by_name:
            yield by_name[name], by_name[against], goal


def ratios(theirs, ours):
    """The ratios of their time to ours: median, lowest and highest over the turns that both played."""
    if theirs.failure or ours.failure:
        return None
    a, b = theirs.medians(), ours.medians()
    found = sorted(a[turn] / b[turn] for turn in a.keys() & b.keys())
    return (statistics.median(found), found[0], found[-1]) if found else None


def goals(entries):
    out = "| peer | ours | theirs | ratio [range] | must reach | verdict |\n|---|---|---|---|---|---|\n"
    for entry, ours, goal in held(entries):
        wanted, ratio = (f"≥ {goal}× as fast" if goal else "–"), ratios(entry, ours)
        if ratio is None:
            reason = entry.failure or ours.failure or "no turns"
            out += row(entry.name, ours.name, f"not measured: {reason}", "–", wanted, "not measured" if goal else "–")
            continue
        found = "{}× as fast [{} – {}]".format(*map(digits, ratio))
        end = bold(verdict(ratio[0] >= goal)) if goal else "–"
        out += row(entry.name, f"{ours.name}: {median(ours)}", median(entry), found, wanted, end)
    return out


def ways(entries):
    """The table of peers compared with each way to use moglb."""
    ours = [entry for entry in entries if entry.name in OURS]
    out = "\nHow many times as fast each way to use moglb is, per round:\n\n"
    out += row("peer", *(entry.name for entry in ours)) + "|---" * (len(ours) + 1) + "|\n"
    for entry in entries:
        if entry.name not in OURS:
            found = (ratios(entry, way) for way in ours)
            out += row(entry.name, *(f"{digits(ratio[0])}×" if ratio else "not measured" for ratio in found))
    return out


def numbers(entries):
    out = "\n<details><summary>All numbers</summary>\n\n"
    out += "| who | decide | learn | round | rounds | window of t | how |\n|---|---|---|---|---|---|---|\n"
    for entry in entries:
        how = "; ".join(filter(None, (entry.kind.note, entry.check, f"{len(entry.arms)} different arms played")))
        if entry.failure or not entry.turns:
            out += row(entry.name, f"not measured: {entry.failure or 'no turns'}", "–", "–", "–", "–", entry.kind.note)
            continue
        parts = []
        for part in PARTS:
            low, middle, high = spread(entry.samples(part))
            parts.append(f"{quantity(middle)} [{quantity(low)} – {quantity(high)}]")
        out += row(entry.name, *parts, len(entry.samples("round")), f"{entry.first}–{entry.t}", how)
    return out + "\n</details>\n"


def facts(clock_ns):
    """Names and values, for the top of the report."""
    return [
        ("date", datetime.date.today().isoformat()),
        ("processor", f"{_line('/proc/cpuinfo', 'model name')}, {os.cpu_count()} cores"),
        ("memory", _memory()),
        ("load before", load()),
        ("Python and peers", ", ".join([f"Python {platform.python_version()}", *map(_version, PACKAGES)])),
        ("moglb", moglb.__version__),
        ("reading the clock twice", f"{clock_ns:.0f} ns"),
    ]


def load():
    try:
        return ", ".join(f"{one:.2f}" for one in os.getloadavg())
    except OSError:
        return "unknown"


def _line(path, start):
    try:
        lines = Path(path).read_text().splitlines()
    except OSError:
        return platform.processor() or "unknown"
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith(start)), "unknown")


def _memory():
    kib = _line("/proc/meminfo", "MemTotal").split()[0]
    return f"{int(kib) / 1024**2:.0f} GiB" if kib.isdigit() else "unknown"


def _version(package):
    try:
        return f"{package} {version(package)}"
    except PackageNotFoundError:
        return f"{package} not installed"


def spread(samples):
    s = sorted(samples)
    return s[len(s) // 10], statistics.median(s), s[len(s) * 9 // 10]


def median(entry):
    return quantity(statistics.median(entry.samples("round")))


def quantity(ns):
    """A time with its unit, in three digits."""
    for scale, unit in ((1e9, "s"), (1e6, "ms"), (1e3, "µs")):
        if ns >= scale:
            return f"{digits(ns / scale)} {unit}"
    return f"{digits(ns)} ns"


def micro(ns):
    return f"{ns / 1e3:.2f} µs"


def digits(value):
    return f"{value:.{0 if abs(value) >= 100 else 1 if abs(value) >= 10 else 2}f}"


def verdict(reached):
    return "met" if reached else "missed"


def bold(word):
    return f"**{word}**" if word == "missed" else word


def row(*cells):
    return "| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |\n"
