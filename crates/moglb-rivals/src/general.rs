//! Model-free policies: they assume no model of the rewards, and keep statistics per arm or weigh experts.

pub(crate) mod class;
pub mod epoch_greedy;
pub mod exp3;
mod exp3_p;
pub mod exp4;
pub mod iltcb;
mod log_weights;
pub mod mo_ks;
pub mod mo_us;
pub mod ucb1;

use moglb_core::decision::settle;
use moglb_core::{Decision, Parameter};
use moglb_math::Error;

/// Returns γ: the given value, or that of the source for a horizon T, min(1, √(K·log N / ((e − 1)·T))). N is
/// `weighed`, the number of arms or experts that have a weight.
fn rate(gamma: Option<f64>, n_arms: usize, weighed: usize, horizon: u64) -> Result<f64, Error> {
    Parameter::check_horizon(horizon)?;
    if let Some(gamma) = gamma {
        return Parameter::check("gamma", gamma, 1e-6..=1.0).map(|()| gamma);
    }
    let growth = (std::f64::consts::E - 1.0) * horizon as f64;
    Ok((n_arms as f64 * libm::log(weighed as f64) / growth).sqrt().min(1.0))
}

/// Writes a probability for each arm into a decision. The front is left empty, and the tables get no columns.
fn write_probabilities(decision: &mut Decision, n_arms: usize, probability: impl FnMut(usize) -> f64) {
    decision.given_sample = false;
    decision.front.clear();
    decision.estimates.reshape(n_arms, 0);
    decision.widths.reshape(n_arms, 0);
    decision.probabilities.clear();
    decision.probabilities.extend((0..n_arms).map(probability));
    settle(&mut decision.probabilities);
}
