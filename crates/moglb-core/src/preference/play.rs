//! Ways to play: from a policy's front to a draw with exact probabilities.

use super::objective_subset::Counted;
use super::outlook::{Outlook, candidates};
use super::{Over, PlayConfig, Preference, View, own, share};
use crate::decision::settle;
use crate::{ArmSet, Decision, Objective, Parameter, Policy, Problem};
use moglb_math::Error;
use moglb_pareto::ArmId;
use rand_core::Rng;

/// A way to play: draws from the front of any policy by a preference, within limits.
///
/// The candidates are the allowed arms on the front. An arm is allowed if it is on `include` (if
/// there is such a list) and not on `exclude`. If no arm of the front is allowed, the candidates
/// are the front of the optimistic values of the allowed arms. With the preference q over the
/// candidates, the probabilities are
///
/// ```text
/// p = b·[baseline] + (1 − b)·( f·uniform + (1 − f)·q )
/// ```
///
/// for a floor of share f over all allowed arms or over the candidates, and a baseline of share b.
/// While nothing is known about some candidates (their widths are infinite), q is uniform over
/// them, whatever the preference: arms without estimates cannot be compared.
///
/// ```
/// use moglb::{ArmSet, Decision, Link, Objective, PlayConfig, PolicyConfig, Problem, draw};
///
/// let objectives = vec![
///     Objective::new("quality", Link::Logit),
///     Objective::new("cost", Link::Identity).minimize(),
/// ];
/// let problem = Problem::new(2, objectives)?;
/// let policy = PolicyConfig::recommended().build(&problem)?;
/// let config: PlayConfig = serde_json::from_str(
///     r#"{ "prefer": { "kind": "weights", "weights": [0.7, 0.3] }, "floor": { "share": 0.1 } }"#,
/// ).unwrap();
/// let play = config.build(&problem)?;
/// let arms = ArmSet::from_rows(&[[0.6, 0.1], [0.2, 0.7]])?;
/// let mut decision = Decision::default();
/// play.decide(&*policy, &arms, &[], &mut draw::seeded(7), &mut decision)?;
/// assert!(decision.probabilities.iter().all(|&p| p >= 0.05));
/// # Ok::<(), moglb::Error>(())
/// ```
#[derive(Debug)]
pub struct Play {
    /// The objectives that count.
    objectives: Vec<Objective>,
    /// Their numbers, if some objectives do not count.
    counted: Option<Counted>,
    n_arms: Option<usize>,
    config: PlayConfig,
    prefer: Option<Box<dyn Preference>>,
}

/// The result of a decision in addition to the decision itself.
///
/// Example: [`Play`].
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Outcome {
    /// The violation of the constraints by the preferred arms, in units of the range of the
    /// objective with the largest violation; 0 if the constraints are satisfied.
    pub shortfall: f64,
}

/// The probabilities of all arms, and the violation of the constraints.
pub struct Weighed {
    /// The probability of every arm, in the order of the arm set.
    pub probabilities: Vec<f64>,
    /// The value of [`Outcome::shortfall`].
    pub(super) shortfall: f64,
}

impl Play {
    /// Returns a way to play in a problem with only the objectives that count.
    #[doc(hidden)]
    pub fn new(
        problem: &Problem,
        config: PlayConfig,
        counted: Option<Counted>,
        prefer: Option<Box<dyn Preference>>,
    ) -> Result<Self, Error> {
        for (name, share) in [
            ("the share of the floor", config.floor.map(|floor| floor.share)),
            ("the share of the baseline", config.baseline.map(|baseline| baseline.share)),
        ] {
            share.map_or(Ok(()), |share| Parameter::check(name, share, 0.0..=1.0))?;
        }
        let objectives = problem.objectives().to_vec();
        let play = Self { objectives, counted, n_arms: problem.n_arms(), config, prefer };
        // If the number of arms is not fixed, the lists are checked at every decision.
        play.n_arms.map_or(Ok(()), |n_arms| play.allowed(n_arms).map(drop))?;
        Ok(play)
    }

    /// Returns the configuration.
    pub fn config(&self) -> &PlayConfig {
        &self.config
    }

    /// Returns the number of arms of the problem, if it is fixed.
    #[doc(hidden)]
    pub fn n_arms(&self) -> Option<usize> {
        self.n_arms
    }

    /// Lets a policy decide, and then draws by the preference. If the resulting probabilities are
    /// the policy's own, the policy's draw is kept. `exposures` has the number of plays of each
    /// arm; it may be empty.
    ///
    /// # Errors
    ///
    /// The errors of the policy; [`Error::NoFront`]; [`Error::UnknownArm`],
    /// [`Error::NothingAllowed`] or [`Error::BaselineExcluded`] for lists that do not fit the arms;
    /// [`Error::Entries`] for exposures of another number of arms; the errors of the preference,
    /// and [`Error::NotProbabilities`] if its probabilities are not valid. On an error the decision
    /// must not be used.
    pub fn decide<P: Policy + ?Sized>(
        &self,
        policy: &P,
        arms: &ArmSet,
        exposures: &[u64],
        rng: &mut dyn Rng,
        decision: &mut Decision,
    ) -> Result<Outcome, Error> {
        let allowed = self.allowed(arms.n_arms())?;
        let wanted = std::mem::replace(&mut decision.tables, true);
        let weighed = self.ask(policy, arms, exposures, rng, decision).and_then(|narrow| {
            let seen = narrow.as_ref().unwrap_or(decision);
            let weighed =
                self.weigh(Outlook { decision: seen, scale: policy.facts().scale, exposures }, &allowed)?;
            if let Some(narrow) = narrow {
                decision.front = narrow.front;
            }
            Ok(weighed)
        });
        decision.tables = wanted;
        if !wanted {
            decision.forget_tables();
        }
        let Weighed { mut probabilities, shortfall } = weighed?;
        if probabilities != decision.probabilities {
            settle(&mut probabilities);
            decision.probabilities = probabilities;
            decision.draw_by_probabilities(rng);
        }
        Ok(Outcome { shortfall })
    }

    /// Returns true if only arms of the front are played. `own` is true if the policy's own draws
    /// are from the front.
    #[doc(hidden)]
    pub fn draws_from_front(&self, own: bool) -> bool {
        let PlayConfig { floor, include, exclude, baseline, .. } = &self.config;
        let spread = floor.is_some_and(|floor| floor.over == Over::All);
        (own || self.prefer.is_some())
            && !spread
            && include.is_none()
            && exclude.is_empty()
            && baseline.is_none()
    }

    /// Rejects a number of arms that the lists or the exposures do not fit.
    #[doc(hidden)]
    pub fn check_arms(&self, n_arms: usize, exposures: &[u64]) -> Result<(), Error> {
        self.allowed(n_arms)?;
        check_exposures(n_arms, exposures)
    }

    /// Returns for each arm whether it is allowed.
    pub(super) fn allowed(&self, n_arms: usize) -> Result<Vec<bool>, Error> {
        let PlayConfig { include, exclude, baseline, .. } = &self.config;
        let mut allowed = vec![include.is_none(); n_arms];
        let included = include.iter().flatten().map(|&arm| (arm, true));
        for (arm, is_allowed) in included.chain(exclude.iter().map(|&arm| (arm, false))) {
            *allowed.get_mut(arm).ok_or(Error::UnknownArm { arm, n_arms })? = is_allowed;
        }
        match baseline.map(|baseline| (baseline.arm, allowed.get(baseline.arm))) {
            Some((arm, None)) => return Err(Error::UnknownArm { arm, n_arms }),
            Some((arm, Some(false))) => return Err(Error::BaselineExcluded { arm }),
            _ => {}
        }
        if allowed.contains(&true) { Ok(allowed) } else { Err(Error::NothingAllowed) }
    }

    /// Lets the policy decide, and checks that the decision has a front and tables. If some
    /// objectives do not count, returns the decision without them, which is to be weighed instead.
    #[doc(hidden)]
    pub fn ask<P: Policy + ?Sized>(
        &self,
        policy: &P,
        arms: &ArmSet,
        exposures: &[u64],
        rng: &mut dyn Rng,
        decision: &mut Decision,
    ) -> Result<Option<Decision>, Error> {
        check_exposures(arms.n_arms(), exposures)?;
        policy.decide_into(arms, rng, decision)?;
        let columns = self.counted.as_ref().map_or(self.objectives.len(), Counted::of);
        if decision.front.is_empty() || decision.estimates.n_cols() != columns {
            return Err(Error::NoFront);
        }
        let counted = self.counted.as_ref();
        counted.map(|counted| counted.narrow(policy, arms, &self.objectives, decision)).transpose()
    }

    /// Returns the probabilities of all arms; arms that are not allowed have probability 0.
    #[doc(hidden)]
    pub fn weigh(&self, known: Outlook<'_>, allowed: &[bool]) -> Result<Weighed, Error> {
        let whole = View { belief: self.config.belief, ..known.view(&self.objectives) };
        let candidates = candidates(&whole, allowed)?;
        let view = whole.among(&candidates);
        let mut weighed = self.prefer(&view, allowed)?;
        self.mix(&candidates, allowed, &mut weighed.probabilities);
        Ok(weighed)
    }

    /// Returns q, the preference over the candidates.
    fn prefer(&self, view: &View<'_>, allowed: &[bool]) -> Result<Weighed, Error> {
        let mut probabilities = vec![0.0; allowed.len()];
        let Some(prefer) = &self.prefer else {
            let arms: Vec<ArmId> = (0..allowed.len()).filter(|&arm| allowed[arm]).map(ArmId).collect();
            own::keep(view, &arms, &mut probabilities);
            return Ok(Weighed { probabilities, shortfall: 0.0 });
        };
        let unknown: Vec<ArmId> =
            view.candidates().iter().copied().filter(|&arm| view.is_unknown(arm)).collect();
        if !unknown.is_empty() {
            share(&unknown, &mut probabilities);
            return Ok(Weighed { probabilities, shortfall: 0.0 });
        }
        view.check_values()?;
        prefer.weigh(view, &mut probabilities)?;
        check_probabilities(&probabilities, allowed)?;
        Ok(Weighed { probabilities, shortfall: prefer.shortfall(view) })
    }

    /// Adds the floor and the baseline to the probabilities.
    fn mix(&self, candidates: &[ArmId], allowed: &[bool], probabilities: &mut [f64]) {
        if let Some(floor) = self.config.floor.filter(|floor| floor.share > 0.0) {
            probabilities.iter_mut().for_each(|p| *p *= 1.0 - floor.share);
            let add = |p: &mut f64, n: usize| *p += floor.share / n as f64;
            match floor.over {
                Over::Front => {
                    candidates.iter().for_each(|arm| add(&mut probabilities[arm.0], candidates.len()))
                }
                Over::All => {
                    let n = allowed.iter().filter(|&&is_allowed| is_allowed).count();
                    let places = probabilities.iter_mut().zip(allowed);
                    places.filter(|(_, is_allowed)| **is_allowed).for_each(|(p, _)| add(p, n));
                }
            }
        }
        let baseline = self.config.baseline.filter(|baseline| baseline.share > 0.0 && allowed[baseline.arm]);
        if let Some(baseline) = baseline {
            probabilities.iter_mut().for_each(|p| *p *= 1.0 - baseline.share);
            probabilities[baseline.arm] += baseline.share;
        }
    }
}

/// Rejects exposures of another number of arms; an empty list is accepted.
fn check_exposures(expected: usize, exposures: &[u64]) -> Result<(), Error> {
    if exposures.is_empty() || exposures.len() == expected {
        return Ok(());
    }
    Err(Error::Entries { name: "exposures", expected, got: exposures.len() })
}

/// The largest difference between the sum of probabilities and one that counts as rounding.
const ROUNDING: f64 = 1e-9;

/// Rejects probabilities that are negative or NaN, that are positive for an arm that is not
/// allowed, or that do not add up to one.
fn check_probabilities(probabilities: &[f64], allowed: &[bool]) -> Result<(), Error> {
    let fine = |(&p, &is_allowed): (&f64, &bool)| p >= 0.0 && (is_allowed || p == 0.0);
    let sum = if probabilities.iter().zip(allowed).all(fine) { probabilities.iter().sum() } else { f64::NAN };
    if (sum - 1.0).abs() <= ROUNDING { Ok(()) } else { Err(Error::NotProbabilities { sum }) }
}
