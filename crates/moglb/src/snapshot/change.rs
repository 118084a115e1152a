//! Changes to a policy in use: objectives are added or removed, arms come and go. Everything that was learned
//! of the objectives and arms that stay is kept bit for bit.

use crate::{PolicyConfig, PolicySnapshot, PolicyState, Restorable};
use moglb_core::moglb_ucb::snapshot::MoglbUcbPartsState;
use moglb_core::{LearnsBy, MoglbUcb, MoglbUcbConfig, Objective, Prior, Problem, ProblemConfig};
use moglb_math::Error;
use moglb_rivals::ridge::RidgeState;

impl PolicySnapshot {
    /// This policy with one more objective, which comes last. Nothing is known of it but a prior. Everything
    /// that was learned of the other objectives is kept bit for bit. Proved widths are those of the new
    /// problem: δ, R and, with a shared κ, U are for all of its objectives. So the guarantee of probability 1
    /// − δ begins again with every change.
    ///
    /// MOGLB-UCB, EKF-UCB and MOGLB-EB support this. Policies that count plays of arms have no counts for a
    /// new objective.
    ///
    /// ```
    /// use moglb::{EkfUcb, EkfUcbConfig, Link, Objective, Prior, Problem, Restorable};
    /// let click = Objective::new("click", Link::Logit);
    /// let policy = EkfUcb::new(Problem::new(2, vec![click])?, EkfUcbConfig::default())?;
    /// let sale = Objective::new("sale", Link::Logit);
    /// let policy = policy.snapshot().with_objective(sale, Prior::none())?.restore()?;
    /// assert_eq!(policy.problem().n_objectives(), 2);
    /// # Ok::<(), moglb::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::ObjectivesFixed`] for other policies, [`Error::Parameters`] if all objectives of MOGLB-UCB
    /// share a κ that the new objective would change, or an error about the objective or the prior.
    pub fn with_objective(mut self, objective: Objective, prior: Prior) -> Result<Self, Error> {
        // Refuse a damaged snapshot before anything is made from it.
        self.clone().restore()?;
        let at = self.problem.objectives.len();
        let before = self.clone();
        self.problem.objectives.push(objective);
        let priors = priors(&mut self.policy)?;
        if !(priors.is_empty() && prior.is_none()) {
            priors.resize(at, Prior::none());
            priors.push(prior);
        }
        // The state of a new policy provides the new objective's part.
        let fresh = self.policy.build(&Problem::from_config(self.problem.clone())?)?.snapshot();
        self.state = match (before.state.clone(), fresh.state) {
            (PolicyState::EkfUcb(mut state), PolicyState::EkfUcb(fresh)) => {
                state.take_from(&fresh, at);
                state.into()
            }
            (PolicyState::MoglbEb(mut state), PolicyState::MoglbEb(fresh)) => {
                state.take_from(&fresh, at, self.problem.dim);
                state.into()
            }
            (PolicyState::MoglbUcb(_) | PolicyState::MoglbUcbParts(_), _) => {
                self.check_shared_kappa(&before.problem)?;
                let mut parts = parts(before)?;
                let fresh =
                    MoglbUcb::new(Problem::from_config(self.problem.clone())?, own_config(&self.policy)?)?;
                parts.take_from(&fresh.parts(), at);
                parts.into()
            }
            _ => return Err(Error::ObjectivesFixed),
        };
        Ok(self)
    }

    /// This policy without an objective. What it learned of that objective is lost.
    ///
    /// # Errors
    ///
    /// As [`PolicySnapshot::with_objective`]; [`Error::UnknownObjective`], and [`Error::NoObjectives`] for
    /// the only objective.
    pub fn without_objective(mut self, objective: usize) -> Result<Self, Error> {
        let n_objectives = self.problem.objectives.len();
        if objective >= n_objectives {
            return Err(Error::UnknownObjective { got: objective, n_objectives });
        }
        self.clone().restore()?;
        let before = self.clone();
        self.problem.objectives.remove(objective);
        Problem::from_config(self.problem.clone())?;
        let priors = priors(&mut self.policy)?;
        if !priors.is_empty() {
            priors.remove(objective);
        }
        if let PolicyConfig::EkfUcb(config) = &mut self.policy {
            config.objective = match config.objective {
                Some(only) if only == objective => {
                    return Err(Error::Parameters {
                        what: "the only objective that counts cannot be dropped",
                    });
                }
                Some(only) if only > objective => Some(only - 1),
                other => other,
            };
        }
        self.state = match before.state.clone() {
            PolicyState::EkfUcb(mut state) => {
                state.drop_objective(objective);
                state.into()
            }
            PolicyState::MoglbEb(mut state) => {
                state.drop_objective(objective, self.problem.dim, self.problem.radius);
                state.into()
            }
            PolicyState::MoglbUcb(_) | PolicyState::MoglbUcbParts(_) => {
                self.check_shared_kappa(&before.problem)?;
                let mut parts = parts(before)?;
                parts.drop_objective(objective);
                parts.into()
            }
            _ => return Err(Error::ObjectivesFixed),
        };
        Ok(self)
    }

    /// This policy with other arms. The new arm k is the old arm `kept[k]`, or a new arm if `kept[k]` is
    /// `None`. Other arms are removed, together with what was learned of them alone.
    ///
    /// A policy that learns by contexts takes any arms at any decision, unless its problem has a fixed number
    /// of arms. It does not need this method, and the call is refused.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownArm`]; [`Error::Parameters`] for an arm that is kept twice, or if the number of arms
    /// is not fixed; [`Error::NoArms`]; [`Error::ArmsFixed`] for a policy whose arms cannot change.
    pub fn with_arms(mut self, kept: &[Option<usize>]) -> Result<Self, Error> {
        let Some(n_arms) = self.problem.n_arms else {
            return Err(Error::Parameters {
                what: "the number of arms is not fixed: any decision may offer others",
            });
        };
        let mut seen = vec![false; n_arms];
        for &arm in kept.iter().flatten() {
            let seen = seen.get_mut(arm).ok_or(Error::UnknownArm { arm, n_arms })?;
            if std::mem::replace(seen, true) {
                return Err(Error::Parameters { what: "an arm can be kept once only" });
            }
        }
        let learns_by = self.clone().restore()?.facts().learns_by;
        self.problem.n_arms = Some(kept.len());
        if let PolicyConfig::PUcb(config) = &mut self.policy {
            // All arms may be on the front, unless the configuration sets the size of the front.
            let all = config.front_size.is_none_or(|size| size == n_arms);
            config.front_size = config.front_size.filter(|_| !all).map(|size| size.min(kept.len()));
        }
        let fresh = self.policy.build(&Problem::from_config(self.problem.clone())?)?.snapshot();
        self.state = match (self.state, fresh.state) {
            (PolicyState::Arms(stats), _) => stats.rearranged(kept).into(),
            (PolicyState::LinUcb(mut state), PolicyState::LinUcb(fresh)) => {
                let places = kept.iter().zip(&fresh.arms);
                let arm =
                    |(kept, new): (&Option<usize>, &RidgeState)| kept.map_or(new, |k| &state.arms[k]).clone();
                state.arms = places.map(arm).collect();
                state.into()
            }
            (state, _) if learns_by == LearnsBy::Context => state,
            _ => return Err(Error::ArmsFixed),
        };
        Ok(self)
    }

    /// Refuses a change of the κ that all objectives share: the learned state was made with the old κ.
    fn check_shared_kappa(&self, before: &ProblemConfig) -> Result<(), Error> {
        if own_config(&self.policy)?.kappa == moglb_core::Kappa::PerObjective {
            return Ok(());
        }
        let kappa = |config: &ProblemConfig| {
            Problem::from_config(config.clone()).map(|problem| problem.shared_constants().kappa)
        };
        if kappa(before)? == kappa(&self.problem)? {
            return Ok(());
        }
        Err(Error::Parameters {
            what: "the κ that all objectives share would change: use kappa = per-objective",
        })
    }
}

/// The priors of all objectives, in the configuration of a policy whose objectives can change.
fn priors(config: &mut PolicyConfig) -> Result<&mut Vec<Prior>, Error> {
    match config {
        PolicyConfig::MoglbUcb(config) => Ok(&mut config.prior),
        PolicyConfig::EkfUcb(config) => Ok(&mut config.prior),
        PolicyConfig::MoglbEb(config) => Ok(&mut config.prior),
        _ => Err(Error::ObjectivesFixed),
    }
}

fn own_config(config: &PolicyConfig) -> Result<MoglbUcbConfig, Error> {
    if let PolicyConfig::MoglbUcb(config) = config { Ok(config.clone()) } else { Err(Error::ObjectivesFixed) }
}

/// The state of MOGLB-UCB with a separate Gram matrix for each objective.
fn parts(snapshot: PolicySnapshot) -> Result<MoglbUcbPartsState, Error> {
    Ok(MoglbUcb::from_snapshot(snapshot)?.parts())
}
