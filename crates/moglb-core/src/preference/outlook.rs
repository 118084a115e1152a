//! The inputs of a preference, and the arms that are candidates.

use super::view::{Belief, View};
use crate::{Decision, Objective, Scale};
use moglb_math::{Error, Matrix};
use moglb_pareto::{ArmId, Front, FrontFilter};

/// A decision with the data that a preference needs to weigh its arms.
#[derive(Clone, Copy)]
pub struct Outlook<'a> {
    /// The decision of the policy, with tables.
    pub decision: &'a Decision,
    /// The scale of the estimates in its tables.
    pub scale: Scale,
    /// The number of plays of each arm; empty if they are not counted.
    pub(super) exposures: &'a [u64],
}

impl<'a> Outlook<'a> {
    /// Returns the view of a preference on the estimates, still without candidates.
    pub fn view(self, objectives: &'a [Objective]) -> View<'a> {
        let Self { decision, scale, exposures } = self;
        View { objectives, candidates: &[], decision, scale, belief: Belief::Mean, exposures }
    }
}

/// Returns the candidates: the allowed arms of the policy's front. If there are none, returns the
/// allowed arms about which nothing is known; if there are none of these either, the front of the
/// optimistic values of the allowed arms.
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
