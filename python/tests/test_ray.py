"""Experiments on a real Ray cluster of several nodes on loopback: the same bits, even if nodes are lost."""

import json
import os
import signal
import subprocess
import sys
import threading
import time

import pytest
from test_experiments import CONFIG, same, without_seconds

import moglb

os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
# Everything is on loopback, including drivers. Without this Ray would use the address of a network card.
os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"
os.environ["RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO"] = "0"
ray = pytest.importorskip("ray")
cluster_utils = pytest.importorskip("ray.cluster_utils")

pytestmark = pytest.mark.filterwarnings("ignore")

LONG = {**CONFIG, "horizon": 60_000, "trials": 6, "environments": [{"id": "paper", "dim": 5}]}
CROWDED = {
    **CONFIG,
    "environments": [{"id": "paper", "dim": 3, "arms": 4, "max_front": 0}],
    "policies": [{"id": "random"}],
}


@pytest.fixture
def cluster():
    made = cluster_utils.Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    assert made.address.startswith("127.0.0.1")
    yield made
    ray.shutdown()
    made.shutdown()


def test_the_bits_are_those_of_a_local_run(cluster, tmp_path):
    cluster.add_node(num_cpus=1)
    results = moglb.run(CONFIG, on="ray", address=cluster.address, progress=False)
    local = moglb.run(CONFIG, progress=False)
    same(results, local)
    assert without_seconds(results.summary) == without_seconds(local.summary)
    assert not ray.is_initialized(), "a run closes the connection that it opened"
    # Cells that were played on Ray also count for a local run.
    kept = moglb.run(CONFIG, on="ray", address=cluster.address, out=tmp_path, progress=False)
    same(kept, local)
    reports = []
    plan = moglb.experiment(CONFIG)
    moglb._moglb.run(plan, 0, moglb._moglb.Log(tmp_path / "cells.log", plan, True), lambda *n: reports.append(n))
    assert reports[-1][0] == 0 and reports[-1][1] == reports[-1][2], "nothing was left to play"


def test_a_node_that_dies_in_the_middle_changes_nothing(cluster, tmp_path):
    doomed = cluster.add_node(num_cpus=2)
    killed = []

    def kill():
        log = tmp_path / "cells.log"
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and not (log.exists() and log.stat().st_size > 2000):
            time.sleep(0.02)
        cluster.remove_node(doomed, allow_graceful=False)
        killed.append(log.stat().st_size)

    killer = threading.Thread(target=kill)
    killer.start()
    results = moglb.run(LONG, on="ray", address=cluster.address, out=tmp_path, progress=False)
    killer.join()
    assert killed and killed[0] < (tmp_path / "cells.log").stat().st_size, "it died before the end"
    same(results, moglb.run(LONG, progress=False))


def test_a_driver_that_is_killed_goes_on_where_it_was(cluster, tmp_path):
    cluster.add_node(num_cpus=1)
    code = (
        "import json, sys, moglb\n"
        f"moglb.run(json.loads(sys.argv[1]), on='ray', address='{cluster.address}', out=sys.argv[2], progress=False)"
    )
    driver = subprocess.Popen([sys.executable, "-c", code, json.dumps(LONG), str(tmp_path)], stderr=subprocess.DEVNULL)
    log = tmp_path / "cells.log"
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and not (log.exists() and log.stat().st_size > 4000):
        assert driver.poll() is None, "it ended too early"
        time.sleep(0.02)
    driver.send_signal(signal.SIGKILL)
    driver.wait()
    plan = moglb.experiment(LONG)
    before = len(moglb._moglb.Log(log, plan, True))
    assert before > 0
    assert plan.pending(moglb._moglb.Log(log, plan, True)), "something was left to play"
    results = moglb.run(LONG, on="ray", address=cluster.address, out=tmp_path, progress=False)
    same(results, moglb.run(LONG, progress=False))
    assert plan.pending(moglb._moglb.Log(log, plan, True)) == []


def test_what_is_wrong_with_a_cell_is_said(cluster, monkeypatch):
    # A task that is canceled while it finishes may end this process without a message.
    monkeypatch.setattr(ray, "cancel", lambda *_, **__: pytest.fail("a cell was cancelled"))
    with pytest.raises(moglb.Error):
        moglb.run({**CONFIG, "trials": 0}, on="ray", address=cluster.address, progress=False)
    with pytest.raises(moglb.Error) as local:
        moglb.run(CROWDED, progress=False)
    with pytest.raises(moglb.Error) as remote:
        moglb.run(CROWDED, on="ray", address=cluster.address, progress=False)
    assert type(local.value) is type(remote.value)


def test_two_drivers_do_not_write_into_one_folder(cluster, tmp_path):
    plan = moglb.experiment(CONFIG)
    log = moglb._moglb.Log(tmp_path / "cells.log", plan, True)
    with pytest.raises(moglb.errors.LockedError):
        moglb.run(CONFIG, on="ray", address=cluster.address, out=tmp_path, progress=False)
    log.close()
    same(
        moglb.run(CONFIG, on="ray", address=cluster.address, out=tmp_path, progress=False),
        moglb.run(CONFIG, progress=False),
    )
