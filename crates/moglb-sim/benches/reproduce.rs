//! The paper's experiments as `moglb reproduce` runs them, tuning included: rounds per second over all cores.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use moglb_sim::{C_GRID, Experiment, PAPER_DIMS, PAPER_POLICIES, Unwatched, paper_experiment, run};
use std::time::Duration;

fn rounds(experiment: &Experiment) -> u64 {
    let runs = experiment.environments.len() * experiment.policies.len() * experiment.trials;
    let tuning = experiment.environments.len() * C_GRID.len() * experiment.tuning_trials;
    (runs + tuning) as u64 * experiment.horizon
}

fn reproduce(criterion: &mut Criterion) {
    let policies = PAPER_POLICIES.map(String::from);
    let experiment = paper_experiment(&PAPER_DIMS, &policies);
    let mut group = criterion.benchmark_group("reproduce");
    group.sample_size(10).warm_up_time(Duration::from_millis(100)).measurement_time(Duration::from_secs(10));
    group.throughput(Throughput::Elements(rounds(&experiment)));
    group
        .bench_function("default", |bencher| bencher.iter(|| run(&experiment, 0, None, &Unwatched).unwrap()));
    group.finish();
}

criterion_group!(benches, reproduce);
criterion_main!(benches);
