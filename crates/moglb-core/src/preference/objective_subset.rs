//! Objectives in shadow: they are learned, and have no say in what is played.

use super::ObjectiveId;
use super::outlook::{Outlook, candidates};
use crate::{ArmSet, Decision, Objective, Policy, Problem};
use moglb_math::Error;

/// The objectives that count.
#[derive(Debug)]
pub struct Counted {
    columns: Vec<usize>,
    /// Of how many.
    of: usize,
}

impl Counted {
    /// Some objectives of a problem.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownObjective`], [`Error::ObjectiveNotFound`], or [`Error::Parameters`] for none.
    pub fn new(ids: &[ObjectiveId], problem: &Problem) -> Result<Self, Error> {
        let mut columns = ids.iter().map(|id| id.find(problem)).collect::<Result<Vec<_>, _>>()?;
        columns.sort_unstable();
        columns.dedup();
        if columns.is_empty() {
            return Err(Error::Parameters { what: "at least one objective must count" });
        }
        Ok(Self { columns, of: problem.n_objectives() })
    }

    /// The number of all objectives.
    pub fn of(&self) -> usize {
        self.of
    }

    /// The problem with no other objectives.
    pub fn problem(&self, problem: &Problem) -> Result<Problem, Error> {
        let mut config = problem.config().clone();
        config.objectives = self.columns.iter().map(|&i| problem.objectives()[i].clone()).collect();
        Problem::from_config(config)
    }

    /// The decision of a policy that has only these objectives: with tables of theirs, their front and the probabilities that
    /// come with it. Where the policy has no way of its own to tell, the front is that of the optimistic scores, and the arms of which
    /// nothing is known come first.
    pub fn narrow<P: Policy + ?Sized>(
        &self,
        policy: &P,
        arms: &ArmSet,
        objectives: &[Objective],
        decision: &Decision,
    ) -> Result<Decision, Error> {
        let n_arms = arms.n_arms();
        let mut narrow = Decision { given_sample: decision.given_sample, ..Decision::default() };
        narrow.estimates.reshape(n_arms, self.columns.len());
        narrow.widths.reshape(n_arms, self.columns.len());
        for arm in 0..n_arms {
            for (k, &i) in self.columns.iter().enumerate() {
                narrow.estimates.row_mut(arm)[k] = decision.estimates.row(arm)[i];
                narrow.widths.row_mut(arm)[k] = decision.widths.row(arm)[i];
            }
        }
        let mut counts = vec![false; self.of];
        self.columns.iter().for_each(|&i| counts[i] = true);
        let weighed = match policy.model() {
            Some(model) => model.weigh_by(arms, &counts, &mut narrow)?,
            None => false,
        };
        if !weighed {
            narrow.probabilities = vec![0.0; n_arms];
            let known = Outlook { decision: &narrow, scale: policy.facts().scale, exposures: &[] };
            let front = candidates(&known.view(objectives), &vec![true; n_arms])?;
            super::share(&front, &mut narrow.probabilities);
            narrow.front.refill(front.into_iter());
        }
        Ok(narrow)
    }
}
