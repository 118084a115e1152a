//! Custom links, whose means may be NaN or infinite. Not part of Algorithm 1.

use super::Learner;
use crate::{Arm, Link};
use moglb_math::Error;
use moglb_math::kernel::places;

/// The largest absolute mean that a custom link may return.
const MEAN_BOUND: f64 = 1e100;

impl Learner {
    /// Calls each custom link once, and stores its mean or refuses it. Links of the library get NaN here:
    /// their means are computed where they are needed.
    pub(super) fn call_outside_links(&mut self, arm: Arm<'_>) -> Result<(), Error> {
        let objectives = self.problem.objectives();
        self.memory.outside_means.clear();
        if objectives.iter().all(|objective| !matches!(objective.link, Link::Custom(_))) {
            return Ok(());
        }
        arm.numbers().fill(&mut self.memory.context);
        for (model, objective) in self.models.iter().zip(objectives) {
            let mut mean = f64::NAN;
            if let Link::Custom(_) = objective.link {
                let x = places(&self.memory.context);
                let inner: f64 = model.estimate.theta().zip(x).map(|(a, b)| a * b).sum();
                let z = objective.sign() * inner;
                mean = objective.sign() * objective.link.mean(z);
                if mean.is_nan() || mean.abs() > MEAN_BOUND {
                    let (link, mean) = (objective.link.name(), objective.sign() * mean);
                    return Err(Error::LinkMean { link, z, mean });
                }
            }
            self.memory.outside_means.push(mean);
        }
        Ok(())
    }
}
