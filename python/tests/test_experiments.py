"""Experiments: the same bits as the command, resuming, figures, and policies written in Python."""

import io
import json
import os
import signal
import subprocess
import sys
import time
import warnings

import numpy as np
import pytest
from conftest import ROOT

import moglb

CONFIG = {
    "name": "small",
    "horizon": 120,
    "trials": 3,
    "tuning_trials": 2,
    "points": 20,
    "environments": [{"id": "paper", "dim": {"each": [3, 4]}}, {"id": "paper-fresh", "dim": 3}],
    "policies": [{"id": "moglb-ucb", "c": {"tune": [0.01, 0.1]}}, {"id": "random"}],
}


def same(a, b):
    """Asserts that two results are the same bit for bit, including NaN."""
    assert a.columns.keys() == b.columns.keys()
    for key, column in a.columns.items():
        if isinstance(column, list):
            assert column == b.columns[key], key
        else:
            assert column.tobytes() == np.asarray(b.columns[key]).tobytes(), key


def without_seconds(summary):
    return [{key: value for key, value in run.items() if key != "seconds"} for run in summary["runs"]]


def test_threads_and_forms_of_the_configuration_make_no_difference(tmp_path):
    first = moglb.run(CONFIG, progress=False)
    same(first, moglb.run(CONFIG, threads=1, progress=False))
    toml = moglb.experiment(CONFIG).to_toml()
    same(first, moglb.run(toml, progress=False))
    file = tmp_path / "small.toml"
    file.write_text(toml)
    same(first, moglb.run(file, progress=False))
    same(first, moglb.run(str(file), progress=False))
    assert len(first) == 3 * 2 * 3 * 21 and len(first.summary["runs"]) == 6


def test_the_command_finds_the_same(tmp_path):
    program = os.environ.get("MOGLB_PROGRAM")
    if not program:
        pytest.skip("MOGLB_PROGRAM does not say where the command is")
    file = tmp_path / "small.toml"
    file.write_text(moglb.experiment(CONFIG).to_toml())
    subprocess.run([program, "run", str(file), "--out", str(tmp_path / "out"), "--quiet"], check=True)
    summary = json.loads((tmp_path / "out" / "summary.json").read_text())
    assert without_seconds(summary) == without_seconds(moglb.run(CONFIG, progress=False).summary)


def test_outcomes_on_data_are_a_table(tmp_path):
    objectives = [{"column": "y_a"}, {"column": "y_b"}]
    problem = {"id": "p", "kind": "full", "rounds": "rounds.csv", "rewards": "rewards.csv", "arm_ids": ["u", "v"]}
    meta = {"format": "mob-data/1", "name": "toy", "problems": [{**problem, "objectives": objectives}]}
    (tmp_path / "meta.json").write_text(json.dumps(meta))
    (tmp_path / "rounds.csv").write_text("round_id,x_u\n0,0.5\n1,-0.5\n")
    rewards = "round_id,arm_id,y_a,y_b,raw_cost\n0,u,0.2,1,1\n0,v,0.8,0.5,10\n1,u,0.4,0.9,2\n1,v,0.6,0.3,20\n"
    (tmp_path / "rewards.csv").write_text(rewards)
    environment = {"id": "data", "path": str(tmp_path), "problem": "p"}
    config = {"horizon": 2, "trials": 2, "environments": [environment], "policies": [{"id": "random"}]}
    outcomes = moglb.run(config, progress=False).outcomes()
    rows = list(zip(*(outcomes[name] for name in ("kind", "policy", "params", "quantity", "of"))))
    cost = rows.index(("baseline", "always", "v", "measure", "raw_cost"))
    assert outcomes["mean"][cost] == 15.0 and np.isnan(outcomes["ci95"][cost])
    played = [k for k, row in enumerate(rows) if row[0] == "run" and row[3:] == ("objective", "y_a")]
    assert len(played) == 1 and 0.3 <= outcomes["mean"][played[0]] <= 0.7
    assert len(moglb.run(CONFIG, progress=False).outcomes()["mean"]) == 0


def test_tables_of_all_kinds():
    pytest.importorskip("pandas"), pytest.importorskip("polars"), pytest.importorskip("pyarrow")
    results = moglb.run(CONFIG, progress=False)
    frame = results.to_pandas()
    assert list(frame.columns)[:3] == ["experiment", "environment", "environment_params"]
    assert frame.groupby("policy").pareto_regret.max()["random"] > 0
    assert results.to_polars().shape == frame.shape == results.to_arrow().shape
    assert "moglb-ucb" in repr(results) and "<table>" in results._repr_html_()
    assert frame[frame.policy == "random"].jaccard.isna().all()


def test_a_run_goes_on_where_it_was(tmp_path):
    whole = moglb.run(CONFIG, out=tmp_path, progress=False)
    log = tmp_path / "cells.log"
    data = log.read_bytes()
    log.write_bytes(data[: len(data) // 2])
    reports = []
    plan = moglb.experiment(CONFIG)
    again = moglb._moglb.run(plan, 0, moglb._moglb.Log(log, plan, True), lambda *numbers: reports.append(numbers))
    same(whole, moglb.Results(again.columns(), {}, {}))
    played, found, planned = reports[-1]
    assert 0 < found < planned and played + found == planned
    with pytest.raises(moglb.errors.OtherExperimentError):
        moglb.run({**CONFIG, "seed": 2}, out=tmp_path, progress=False)
    other = moglb.run({**CONFIG, "seed": 2}, out=tmp_path, resume=False, progress=False)
    assert other.columns["pareto_regret"].tobytes() != whole.columns["pareto_regret"].tobytes()


def test_control_c_ends_a_run_within_a_moment(tmp_path):
    code = (
        "import moglb, sys; print('go', flush=True); "
        "moglb.run({'horizon': 10**9, 'trials': 2, 'environments': [{'id': 'paper', 'dim': 5}], "
        "'policies': [{'id': 'moglb-ucb'}]}, progress=False)"
    )
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "go\n"
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=20)
    assert process.returncode != 0 and "KeyboardInterrupt" in said


class Always:
    """Always plays one arm. Its decisions have a front if it was made with one."""

    def __init__(self, arm, whole=False):
        self.arm, self.whole, self.learned = arm, whole, []

    def decide(self, X):
        assert X.shape == (20, 5)
        if not self.whole:
            return self.arm
        decided = type("D", (), {})()
        decided.arm, decided.front = self.arm, [self.arm, 3]
        return decided

    def learn(self, x, reward, arm):
        assert arm == self.arm and reward.shape == (5,)
        self.learned.append(reward)


def test_a_policy_written_in_python_plays_in_the_same_loop():
    world = moglb.Environment("paper", dim=5, seed=4)
    for whole in (False, True):
        mine = Always(7, whole)
        with pytest.warns(moglb.PerformanceWarning):
            curves = moglb.simulate(mine, world, horizon=50)
        np.testing.assert_allclose(curves["pareto_regret"], world.gaps()[7] * curves["t"], rtol=1e-12)
        assert len(mine.learned) == 50 and ("jaccard" in curves) == whole
        # The noise belongs to the environment: the n-th pull of an arm always has the same noise.
        world.reset()
        np.testing.assert_array_equal(mine.learned, [world.pull(7) for _ in range(50)])


def test_simulate_is_a_trial_of_run():
    config = {**CONFIG, "environments": [{"id": "paper", "dim": 4}], "policies": [{"id": "moglb-ucb", "c": 0.05}]}
    table = moglb.run(config, progress=False)
    for trial in range(3):
        world = moglb.Environment("paper", dim=4, seed=1, trial=trial)
        policy = moglb.MoglbUcb(**world.problem, width=moglb.Tuned(0.05))
        curves = moglb.simulate(policy, world, horizon=120, points=20)
        mine = table.columns["trial"] == trial
        np.testing.assert_array_equal(curves["pareto_regret"], table.columns["pareto_regret"][mine])
        np.testing.assert_array_equal(curves["jaccard"], table.columns["jaccard"][mine])
        assert policy.t == 120


def test_a_subclass_with_a_decide_of_its_own_is_heard():
    class Stubborn(moglb.Random):
        def decide(self, arms=None, *, tables=True):
            return 2

    world = moglb.Environment("paper", dim=5, seed=4)
    curves = moglb.simulate(Stubborn(**world.problem), world, horizon=20)
    np.testing.assert_allclose(curves["pareto_regret"][-1], 20 * world.gaps()[2])


def test_what_a_policy_in_python_raises_comes_out():
    class Broken(Always):
        def learn(self, x, reward, arm):
            raise ZeroDivisionError("mine")

    class Wrong(Always):
        def decide(self, X):
            return self.arm

    world = moglb.Environment("paper", dim=5)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", moglb.PerformanceWarning)
        with pytest.raises(ZeroDivisionError, match="mine"):
            moglb.simulate(Broken(0), world, horizon=5)
        for answer in (99, -1, "x", None, 1.5):
            with pytest.raises(moglb.errors.ForeignError):
                moglb.simulate(Wrong(answer), world, horizon=5)


def test_a_front_is_there_in_all_rounds_or_in_none():
    class Sometimes(Always):
        def decide(self, X):
            decided = type("D", (), {})()
            decided.arm, decided.front = 0, [0, 1] if len(self.learned) < 10 else None
            return decided

    world = moglb.Environment("paper", dim=5)
    with pytest.warns(moglb.PerformanceWarning), pytest.raises(moglb.errors.ForeignError, match="in some rounds"):
        moglb.simulate(Sometimes(0), world, horizon=50)


def test_custom_policies_stand_beside_the_others():
    config = {
        **CONFIG,
        "environments": [{"id": "paper", "dim": 5}],
        "policies": [{"id": "random"}, {"id": "always", "arm": 3}],
    }
    with pytest.warns(moglb.PerformanceWarning):
        results = moglb.run(config, custom={"always": lambda problem, arm: Always(arm)}, progress=False)
    alone = moglb.run({**config, "policies": [{"id": "random"}]}, progress=False)
    finals = results.final()
    assert set(finals) == {"random", "always"} and len(finals["always"]) == 3
    np.testing.assert_array_equal(finals["random"], alone.final()["random"])
    gaps = [moglb.Environment("paper", dim=5, seed=1, trial=k).gaps()[3] for k in range(3)]
    np.testing.assert_allclose(finals["always"], np.multiply(gaps, 120))


CUSTOM = {
    **CONFIG,
    "environments": [{"id": "paper", "dim": {"each": [5, 6]}, "arms": 20}],
    "policies": [{"id": "random"}, {"id": "counting", "arm": 3}],
}


class Counting:
    """Always plays one arm, and counts the instances of its class."""

    made = 0

    def __init__(self, problem, arm):
        self.arm = arm
        Counting.made += 1

    def decide(self, X):
        return self.arm

    def learn(self, x, reward, arm):
        pass


def run_custom(**how):
    with pytest.warns(moglb.PerformanceWarning):
        return moglb.run(CUSTOM, custom={"counting": Counting}, progress=False, **how)


def test_custom_policies_leave_the_files_of_other_runs(tmp_path):
    results = run_custom(out=tmp_path)
    same(results, run_custom())
    summary = json.loads((tmp_path / "summary.json").read_text())
    assert summary == results.summary and summary["experiment"]["trials"] == 3
    assert [run["policy"] for run in summary["runs"]] == ["random", "random", "counting", "counting"]
    mine = summary["runs"][3]
    assert mine["params"] == {"arm": 3} and mine["dim"] == 6 and mine["jaccard"] is None
    assert mine["final"]["pareto_regret"] == results.final()["counting on paper, d = 6"].tolist()
    assert "counting" in (tmp_path / "config.toml").read_text()


def test_custom_policies_are_not_played_twice(tmp_path):
    Counting.made = 0
    whole = run_custom(out=tmp_path)
    assert Counting.made == 6
    log = tmp_path / "cells.log"
    log.write_bytes(log.read_bytes()[:-10])
    same(whole, run_custom(out=tmp_path))
    assert Counting.made == 7, "the last cell was torn"
    # With a complete log no policy is played, so there is no warning.
    same(whole, moglb.run(CUSTOM, custom={"counting": Counting}, out=tmp_path, progress=False))
    other = {**CUSTOM, "policies": [{"id": "random"}, {"id": "counting", "arm": 4}]}
    with pytest.raises(moglb.errors.OtherExperimentError):
        moglb.run(other, custom={"counting": Counting}, out=tmp_path, progress=False)


def test_the_command_draws_the_report_of_a_folder(tmp_path):
    program = os.environ.get("MOGLB_PROGRAM")
    if not program:
        pytest.skip("MOGLB_PROGRAM does not say where the command is")
    run_custom(out=tmp_path / "custom")
    moglb.run(CONFIG, out=tmp_path / "plain", progress=False)
    for folder, policy in (("custom", "counting"), ("plain", "MOGLB-UCB")):
        subprocess.run([program, "report", str(tmp_path / folder), "--quiet"], check=True)
        assert policy in (tmp_path / folder / "report.html").read_text(encoding="utf-8")


def test_two_runs_do_not_write_into_one_folder(tmp_path):
    endless = {**CONFIG, "horizon": 10**9, "trials": 2}
    code = "import json, sys, moglb; moglb.run(json.loads(sys.argv[1]), out=sys.argv[2], progress=False)"
    first = subprocess.Popen([sys.executable, "-c", code, json.dumps(endless), str(tmp_path)])
    try:
        log = tmp_path / "cells.log"
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and not (log.exists() and log.stat().st_size):
            time.sleep(0.02)
        before = log.read_bytes()
        for how in ({}, {"resume": False}):
            with pytest.raises(moglb.errors.LockedError, match="another run is writing into"):
                moglb.run(endless, out=tmp_path, progress=False, **how)
        assert log.read_bytes() == before and first.poll() is None
    finally:
        first.kill()
        first.wait()
    # A killed process releases its lock.
    moglb.run(CONFIG, out=tmp_path, resume=False, progress=False)


def test_links_that_others_made_are_not_followed(tmp_path):
    victim, out = tmp_path / "victim", tmp_path / "out"
    victim.write_text("precious")
    out.mkdir()
    log = out / "cells.log"
    for make in (os.symlink, os.link):
        make(victim, log)
        with pytest.raises(moglb.errors.FileKindError, match="cells.log: expected a"):
            moglb.run(CONFIG, out=out, progress=False)
        log.unlink()
    (out / ".summary.json.tmp").symlink_to(victim)
    moglb.run(CONFIG, out=out, progress=False)
    assert victim.read_text() == "precious"
    assert (out / "summary.json").exists()


def test_files_of_a_run_change_together_and_keep_their_mode(tmp_path):
    moglb.run(CONFIG, out=tmp_path, progress=False)
    summary, config = tmp_path / "summary.json", tmp_path / "config.toml"
    summary.chmod(0o600)
    before = summary.read_bytes()
    config.unlink()
    config.mkdir()
    with pytest.raises(moglb.errors.FileKindError, match="expected a file, got a folder"):
        moglb.run({**CONFIG, "seed": 2}, out=tmp_path, resume=False, progress=False)
    assert summary.read_bytes() == before
    config.rmdir()
    moglb.run({**CONFIG, "seed": 2}, out=tmp_path, progress=False)
    assert summary.read_bytes() != before and summary.stat().st_mode & 0o777 == 0o600
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cells.log", "config.toml", "summary.json"]


def test_a_folder_that_vanishes_ends_a_run(tmp_path):
    out, made = tmp_path / "out", []

    def moved(problem, arm):
        made.append(arm)
        if len(made) == 1:
            out.rename(tmp_path / "away")
            out.mkdir()
        return Counting(problem, arm)

    with pytest.warns(moglb.PerformanceWarning), pytest.raises(moglb.errors.FileGoneError):
        moglb.run(CUSTOM, custom={"counting": moved}, out=out, progress=False)
    assert len(made) == 1 and list(out.iterdir()) == []


def test_a_run_goes_on_without_standard_error(monkeypatch):
    class Full(io.StringIO):
        def write(self, text):
            raise OSError(28, "No space left on device")

    for stream, progress in ((None, None), (None, True), (Full(), "plain")):
        monkeypatch.setattr(sys, "stderr", stream)
        assert len(moglb.run(CONFIG, progress=progress)) > 0


def test_a_run_that_failed_lets_go_of_its_folder(tmp_path):
    class Broken(Counting):
        def learn(self, x, reward, arm):
            raise ZeroDivisionError("mine")

    with pytest.warns(moglb.PerformanceWarning), pytest.raises(ZeroDivisionError) as kept:
        moglb.run(CUSTOM, custom={"counting": Broken}, out=tmp_path, progress=False)
    same(run_custom(out=tmp_path), run_custom())
    assert kept.value.__traceback__ is not None, "it refers to the variables of the run"


def test_runs_are_told_apart():
    config = {**CONFIG, "policies": [{"id": "moglb-ucb", "c": {"each": [0.01, 1.0]}}, {"id": "random"}]}
    finals = moglb.run(config, progress=False).final()
    assert len(finals) == 9 and all(len(values) == 3 for values in finals.values())
    assert "random on paper, d = 3" in finals and "random on paper-fresh, d = 3" in finals
    with pytest.warns(moglb.PerformanceWarning):
        mixed = moglb.run(
            {
                **CONFIG,
                "environments": [{"id": "paper", "dim": {"each": [5, 6]}, "arms": 20}],
                "policies": [{"id": "first"}],
            },
            custom={"first": lambda problem: First()},
            progress=False,
        )
    assert list(mixed.final()) == ["first on paper, d = 5", "first on paper, d = 6"]


class First:
    def decide(self, X):
        return 0

    def learn(self, x, reward, arm):
        assert arm == 0


def test_figures_have_labels_legends_and_bands():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    results = moglb.run(CONFIG, progress=False)
    figure = results.plot()
    axes = figure.axes
    assert len(axes) == 6 and {ax.get_ylabel() for ax in axes} == {"Pareto regret", "Jaccard index"}
    assert {text.get_text() for text in figure.legends[0].get_texts()} == {"moglb-ucb", "random"}
    assert len(axes[0].collections) == 2
    world = moglb.Environment("paper", dim=5)
    policy = moglb.MoglbUcb(**world.problem)
    moglb.simulate(policy, world, horizon=200)
    ax = policy.plot_front(world.arms())
    assert ax.get_xlabel() == "y1 (maximize)" and ax.get_legend() is not None
    with pytest.raises(moglb.errors.ParametersError):
        policy.plot_front(world.arms(), objectives=(0, 9))
    with pytest.raises(moglb.errors.ParametersError):
        results.plot(["nothing"])
    plt.close("all")


@pytest.mark.parametrize("kind", ["tqdm", "rich", "plain"])
def test_progress_is_shown_where_it_is_asked_for(kind, capfd):
    if kind != "plain":
        pytest.importorskip(kind)
    from moglb.progress import Bar

    with Bar(kind) as bar:
        bar(0, 0, 1000)
        bar(500, 100, 1000)
        done = {"tqdm": lambda: bar._bar.n, "rich": lambda: bar._bar.tasks[0].completed, "plain": lambda: 600}[kind]()
    shown = capfd.readouterr()
    assert done == 600 and shown.out == "", "messages go to stderr"
    assert kind == "rich" or "0%" in shown.err
    with Bar(False) as bar:
        bar(1, 0, 10)
    assert capfd.readouterr() == ("", "")


def test_the_examples_of_the_repository_are_read():
    files = sorted((ROOT / "examples").glob("*.toml"))
    # Files with identifiers are for `moglb identify`.
    experiments = [file for file in files if "identifiers" not in file.read_text(encoding="utf-8")]
    assert len(experiments) > 4
    for file in experiments:
        assert moglb.experiment(file).horizon > 0


def test_environments_without_a_dimension_have_labels():
    world = {"id": "data", "path": str(ROOT / "data" / "sw-config"), "problem": "x264"}
    config = {
        "horizon": 3,
        "trials": 1,
        "environments": [world, {**world, "problem": "vp8"}, {**world, "problem": "vp8", "noise": 0.1}],
        "policies": [{"id": "random"}],
    }
    results = moglb.run(config, progress=False)
    names = list(results.labels().values())
    assert len(set(names)) == 3 and names[0] == "random on sw-config/x264"
    assert "random" in results._repr_html_()
