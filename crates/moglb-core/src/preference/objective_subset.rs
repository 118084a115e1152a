//! A subset of objectives: the others are learned but ignored when playing.

use super::ObjectiveId;
use super::outlook::{Outlook, candidates};
use crate::{ArmSet, Decision, Objective, Policy, Problem};
use moglb_math::Error;

/// The objectives that count, in increasing order.
#[derive(Debug)]
pub struct Counted {
    /// The numbers of these objectives.
    columns: Vec<usize>,
    /// The number of all objectives.
    of: usize,
}

impl Counted {
    /// Returns the given objectives of a problem as a subset.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownObjective`], [`Error::ObjectiveNotFound`], or [`Error::Parameters`] for an
    /// empty list.
    pub fn new(ids: &[ObjectiveId], problem: &Problem) -> Result<Self, Error> {
        let mut columns = ids.iter().map(|id| id.find(problem)).collect::<Result<Vec<_>, _>>()?;
        columns.sort_unstable();
        columns.dedup();
        if columns.is_empty() {
            return Err(Error::Parameters { what: "at least one objective must count" });
        }
        Ok(Self { columns, of: problem.n_objectives() })
    }

    /// Returns the number of all objectives, also those that do not count.
    pub fn of(&self) -> usize {
        self.of
    }

    /// Returns the problem with only the objectives that count.
    pub fn problem(&self, problem: &Problem) -> Result<Problem, Error> {
        let mut config = problem.config().clone();
        config.objectives = self.columns.iter().map(|&i| problem.objectives()[i].clone()).collect();
        Problem::from_config(config)
    }

    /// Returns the decision of a policy as if there were only these objectives: with their tables,
    /// their front, and probabilities that belong to this front. If the policy cannot compute that
    /// by itself ([`Model::weigh_by`](crate::Model::weigh_by)), the front is that of the optimistic
    /// scores. In that case arms about which nothing is known come first.
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
