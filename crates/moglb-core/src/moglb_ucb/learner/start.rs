//! Step 1 of Algorithm 1: Z_1 = λI and θ̂_1 = 0, or the values of a prior.

use super::super::config::{Kappa, MoglbUcbConfig};
use super::{Learner, Memory, ObjectiveModel, Sums};
use crate::discount::check_discount;
use crate::estimate::Estimate;
use crate::prior::{are_none, check_bounds, check_priors};
use crate::width::Width;
use crate::{LinkConstants, Objective, Problem};
use moglb_math::kernel::{Lanes, blocks};
use moglb_math::memory::check_memory;
use moglb_math::{Error, Gram};

impl Learner {
    /// Creates the state before the first round.
    pub fn new(problem: Problem, mut config: MoglbUcbConfig) -> Result<Self, Error> {
        check(&problem, &config)?;
        let constants = match config.kappa {
            Kappa::Shared => vec![problem.shared_constants(); problem.n_objectives()],
            Kappa::PerObjective => problem.constants().to_vec(),
        };
        config.lambda = Some(checked_lambda(config.lambda, &constants)?);
        let mut grams: Vec<Gram> = Vec::new();
        let mut models = Vec::new();
        for (i, constants) in constants.into_iter().enumerate() {
            let (first, estimate) = start(&problem, &config, constants, i)?;
            let gram = grams.iter().position(|z| *z == first).unwrap_or_else(|| {
                grams.push(first);
                grams.len() - 1
            });
            models.push(ObjectiveModel { estimate, gram, constants, gradients: 0.0 });
        }
        let context = vec![Lanes::ZERO; blocks(problem.dim())];
        Ok(Self {
            problem,
            config,
            sums: vec![Sums::default(); grams.len()],
            grams,
            models,
            rounds: 0,
            projection_hits: 0,
            memory: Memory { context, ..Memory::default() },
        })
    }
}

/// Refuses a configuration that does not fit the problem, or would need too much memory.
fn check(problem: &Problem, config: &MoglbUcbConfig) -> Result<(), Error> {
    config.width.check()?;
    check_discount(config.discount, problem.dim())?;
    let is_tuned = matches!(config.width, Width::Tuned { .. });
    if config.discount < 1.0 && !is_tuned {
        return Err(Error::Parameters {
            what: "a discount goes with width = tuned: Theorem 1 forgets nothing",
        });
    }
    check_priors(&config.prior, problem)?;
    if !is_tuned {
        check_bounds(&config.prior)?;
    }
    let shared = config.kappa == Kappa::Shared && are_none(&config.prior);
    let most_grams = if shared { 1 } else { problem.n_objectives() };
    check_memory(problem.dim(), problem.dim().saturating_mul(most_grams))
}

/// Returns Z_1 and θ̂_1 of an objective.
fn start(
    problem: &Problem,
    config: &MoglbUcbConfig,
    constants: LinkConstants,
    i: usize,
) -> Result<(Gram, Estimate), Error> {
    let (objective, lambda) = (&problem.objectives()[i], config.lambda.expect("the default is filled in"));
    let first = Gram::new(problem.dim(), lambda, constants.kappa / 2.0);
    let Some(prior) = config.prior.get(i).filter(|prior| !prior.is_none()) else {
        return Ok((first, Estimate::zero(problem.dim())));
    };
    let unit = unit(objective, constants)?;
    match prior.start(objective, problem.radius(), lambda, unit) {
        Some(start) => Ok((first.with_added(&start.precision)?, Estimate::from_theta(&start.theta))),
        None => Ok((first, Estimate::zero(problem.dim()))),
    }
}

/// The factor from information weights to weights in Z. It makes a reward at θᵀx = 0 weigh κ/2.
pub fn unit(objective: &Objective, constants: LinkConstants) -> Result<f64, Error> {
    Ok(0.5 * constants.kappa / objective.inner_weight(0.0)?)
}

/// Returns the given λ or its default max(1, κ/2), and refuses a λ below that bound.
fn checked_lambda(given: Option<f64>, constants: &[LinkConstants]) -> Result<f64, Error> {
    let bound = constants.iter().fold(1.0_f64, |bound, c| bound.max(c.kappa / 2.0));
    match given {
        Some(lambda) if !(lambda >= bound && lambda <= 1e100) => Err(Error::Lambda { bound, got: lambda }),
        given => Ok(given.unwrap_or(bound)),
    }
}
