//! General policies: none of them believes in a model of the reward. They keep numbers per arm, or weigh experts.

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

/// γ as it is given, or as the source has it for a horizon: min(1, √(K·log N / ((e − 1)·T))) for N that are weighed.
fn rate(gamma: Option<f64>, n_arms: usize, weighed: usize, horizon: u64) -> Result<f64, Error> {
    Parameter::check_horizon(horizon)?;
    if let Some(gamma) = gamma {
        return Parameter::check("gamma", gamma, 1e-6..=1.0).map(|()| gamma);
    }
    let growth = (std::f64::consts::E - 1.0) * horizon as f64;
    Ok((n_arms as f64 * libm::log(weighed as f64) / growth).sqrt().min(1.0))
}

/// Leaves no front, tables without columns, and a probability for each arm.
fn write_probabilities(decision: &mut Decision, n_arms: usize, probability: impl FnMut(usize) -> f64) {
    decision.given_sample = false;
    decision.front.clear();
    decision.estimates.reshape(n_arms, 0);
    decision.widths.reshape(n_arms, 0);
    decision.probabilities.clear();
    decision.probabilities.extend((0..n_arms).map(probability));
    settle(&mut decision.probabilities);
}
