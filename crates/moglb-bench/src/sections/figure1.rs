//! Section `figure1`: ten trials of the paper's Figure 1.

use super::windows::{Window, play, write_all};
use crate::bench::{Bench, Case};
use crate::clock::Stopwatch;
use crate::record::{Outcome, Spread, who};
use crate::world::{Instance, Size};
use anyhow::Result;
use moglb_sim::checkpoints;
use serde_json::json;

/// The introduction in the report.
pub(super) const ABOUT: &str = "\
MOGLB-UCB at d = 10, K = 40, T = 3000, ten trials, c = 0.1 fixed beforehand: CPU seconds in total, without \
drawing the instances. `rounds` is the work of the C reference (decide, reward, learn); `play` also computes \
the regret and the Jaccard index of every round, as `moglb reproduce` does.";

/// The approximate number of points of a curve.
const CHECKPOINTS: u64 = 300;

/// Plays the trials in each repeat, on the same instances for all contestants.
pub(super) fn run(bench: &mut Bench) -> Result<()> {
    let (last, restarts) = if bench.quick { (50, 2) } else { (3000, 10) };
    let window = Window { size: Size::paper(40, 10), first: 0, last, batch: 10, restarts };
    let instances: Vec<Instance> =
        (0..restarts).map(|trial| window.size.fixed(trial)).collect::<Result<_>>()?;
    let prefix = write_all(bench, &instances)?;
    let files: Vec<String> = (0..restarts).map(|trial| format!("{prefix}-{trial}.f64")).collect();
    for repeat in 0..bench.repeats() {
        let case = Case::new("figure1", format!("d=10, T={last}, {restarts} trials"), repeat);
        let (rounds, total) = play(&window, &instances)?;
        case.ours(bench, "rounds", Outcome { spread: Some(Spread::exact(total)), ..rounds });
        case.ours(bench, "play", Spread::exact(play_with_metrics(&instances, last)?));
        for (_, outcome) in bench.reference.measure(&["round"], &window.arguments(&prefix)) {
            let total = outcome.extra.get("total").map(|&total| Spread::exact(total));
            case.time(bench, who::C, "rounds", Outcome { spread: total, ..outcome });
        }
        let question = json!({ "do": "trials", "variant": "expert", "files": files, "arms": window.size.arms,
                               "dim": window.size.dim, "last": last });
        case.peer(bench, who::NUMPY_EXPERT, "rounds", &question);
    }
    Ok(())
}

/// The seconds of playing all instances with their metrics.
fn play_with_metrics(instances: &[Instance], last: u64) -> Result<f64> {
    let checkpoints = checkpoints(last, CHECKPOINTS);
    let watch = Stopwatch::start();
    for instance in instances {
        let mut policy = instance.policy()?;
        moglb_sim::play(&instance.paper, &mut policy, &checkpoints, instance.streams, &|_| true)?;
    }
    Ok(watch.seconds())
}
