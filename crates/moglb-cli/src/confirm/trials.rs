//! The tidy table of all trials of a confirmation: a row for each case, policy, trial and recorded round.
//!
//! Trials with the same number play the same instance in all three roles, so rows can be compared in pairs.

use crate::cell::safe;
use anyhow::Result;
use moglb_sim::{Confirmed, Role, Trace};

/// The columns.
const HEAD: &str =
    "case,role,policy,trial,t,pareto_regret,exposure_entropy,jaccard,precision,recall,front_size";

/// Returns the table as CSV. The four columns of the front are empty for a policy without a front.
pub fn csv(confirmed: &Confirmed) -> Result<Vec<u8>> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(HEAD.split(','))?;
    for (case, results) in confirmed.confirmation.cases.iter().zip(&confirmed.results) {
        for (role, run) in Role::ALL.into_iter().zip(&results.runs) {
            for (trial, trace) in run.traces.iter().enumerate() {
                for (k, t) in results.checkpoints.iter().enumerate() {
                    let names =
                        [case.id.as_str(), role.name(), run.policy.id()].map(|cell| safe(cell).into_owned());
                    let numbers = [trial.to_string(), t.to_string()];
                    writer.write_record(names.into_iter().chain(numbers).chain(values(trace, k)))?;
                }
            }
        }
    }
    Ok(writer.into_inner()?)
}

/// The metrics of a trial at the k-th recorded round, in the order of the columns.
fn values(trace: &Trace, k: usize) -> [String; 6] {
    let front = trace.fronts.as_ref().map(|f| [&f.jaccard, &f.precision, &f.recall, &f.front_size]);
    let [jaccard, precision, recall, size] = match front {
        Some(curves) => curves.map(|curve| curve[k].to_string()),
        None => std::array::from_fn(|_| String::new()),
    };
    let (regret, entropy) = (trace.pareto_regret[k].to_string(), trace.exposure_entropy[k].to_string());
    [regret, entropy, jaccard, precision, recall, size]
}
