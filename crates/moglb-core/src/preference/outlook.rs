//! What is known when a decision is weighed, and which arms are then the candidates.

use super::view::{Belief, View};
use crate::{Decision, Objective, Scale};
use moglb_math::{Error, Matrix};
use moglb_pareto::{ArmId, Front, FrontFilter};

/// What is known when a decision is weighed.
#[derive(Clone, Copy)]
pub struct Outlook<'a> {
    pub decision: &'a Decision,
    pub scale: Scale,
    pub(super) exposures: &'a [u64],
}

impl<'a> Outlook<'a> {
    /// What a preference sees of it by the estimates, before there are candidates.
    pub fn view(self, objectives: &'a [Objective]) -> View<'a> {
        let Self { decision, scale, exposures } = self;
        View { objectives, candidates: &[], decision, scale, belief: Belief::Mean, exposures }
    }
}

/// The allowed arms of the policy's front; if there are none, the front of the allowed arms' optimistic values.
pub fn candidates(view: &View<'_>, allowed: &[bool]) -> Result<Vec<ArmId>, Error> {
    let left: Vec<ArmId> = view.decision.front.iter().filter(|arm| allowed[arm.0]).collect();
    if !left.is_empty() {
        return Ok(left);
    }
    let arms: Vec<ArmId> = (0..allowed.len()).filter(|&arm| allowed[arm]).map(ArmId).collect();
    let unknown: Vec<ArmId> = arms.iter().copied().filter(|&arm| view.is_unknown(arm)).collect();
    if !unknown.is_empty() {
        return Ok(unknown);
    }
    let scores = arms.iter().flat_map(|&arm| view.scores(arm)).collect();
    let mut front = Front::default();
    FrontFilter::new().filter(&Matrix::new(view.objectives().len(), scores)?, &mut front)?;
    Ok(front.iter().map(|place| arms[place.0]).collect())
}
