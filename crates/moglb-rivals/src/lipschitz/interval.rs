//! Pareto contextual zooming where the arm is any number in [0, 1] and every round has a context.
//!
//! Points are pairs (x, y) under D = min(1, L·max of |x_j − x'_j| and |y − y'|), so that a ball is a cube. It
//! cuts the arms at a context in an interval, its slice. A ball is relevant if its slice is not covered by
//! the slices of smaller balls.

use super::balls::{Ball, Balls};
use super::metric::Metric;
use super::pcz::{PczState, proved_width};
use moglb_core::{Objective, Parameter, Problem};
use moglb_math::{Error, Matrix, draw};
use moglb_pareto::{ArmId, Front, FrontFilter};
use rand_core::Rng;
use serde::{Deserialize, Serialize};

/// The parameters of [`PczInterval`].
///
/// Example: [`PczInterval`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PczIntervalConfig {
    /// T in the width, at least 1.
    pub horizon: u64,
    /// δ, the probability that an index may be too low.
    pub delta: f64,
    /// The factor of the proved width.
    pub scale: f64,
    /// L of the metric, for rewards mapped to [0, 1].
    pub lipschitz: f64,
}

impl Default for PczIntervalConfig {
    fn default() -> Self {
        Self { horizon: 3000, delta: 0.05, scale: 1.0, lipschitz: 1.0 }
    }
}

/// Pareto contextual zooming on arms y in [0, 1] with contexts in [0, 1]^d.
///
/// ```
/// use moglb::{Link, Objective, PczInterval, PczIntervalConfig, draw};
///
/// let objectives = vec![Objective::new("sales", Link::Logit), Objective::new("margin", Link::Logit)];
/// let config = PczIntervalConfig { scale: 0.05, ..Default::default() };
/// let mut policy = PczInterval::new(1, objectives, config)?;
/// let mut rng = draw::seeded(7);
/// for _ in 0..300 {
///     let context = [draw::unit(&mut rng)];
///     let price = policy.decide(&context, &mut rng)?.arm;
///     let sold = f64::from(draw::unit(&mut rng) < 1.0 - price);
///     policy.learn(&context, price, &[sold, sold * price])?;
/// }
/// assert!(policy.balls().len() > 1);
/// # Ok::<(), moglb::Error>(())
/// ```
///
/// # Departures
///
/// Those of [`Pcz`](crate::Pcz). The first ball lies around the middle. A ball whose domain meets the arms at
/// a context in single points only is not relevant there: the draw would almost surely never hit them.
#[derive(Debug, Clone)]
pub struct PczInterval {
    objectives: Vec<Objective>,
    /// The number of features of a context, without the arm.
    context_dim: usize,
    /// Balls of points (context, arm).
    balls: Balls,
}

/// An arm in [0, 1], with the region that it was drawn from.
///
/// Example: [`PczInterval`].
#[derive(Debug, Clone, PartialEq)]
pub struct IntervalDecision {
    /// The arm to play.
    pub arm: f64,
    /// The density of the draw at every arm of the region: one over its length.
    pub density: f64,
    /// The arms in the domains of A^, as intervals in increasing order. The arm was drawn from them
    /// uniformly.
    pub region: Vec<(f64, f64)>,
}

/// An interval of arms at a context, which all have the same owners.
#[derive(Debug, Clone, PartialEq)]
struct Piece {
    low: f64,
    high: f64,
    /// The balls whose domain holds these arms.
    owners: Vec<usize>,
}

impl PczInterval {
    /// Creates the policy before the first round, for contexts of `context_dim` features; 0 is allowed.
    ///
    /// # Errors
    ///
    /// [`Error::ParameterBounds`], [`Error::TooLarge`], or an error of [`Problem::new`] about the objectives.
    pub fn new(
        context_dim: usize,
        objectives: Vec<Objective>,
        config: PczIntervalConfig,
    ) -> Result<Self, Error> {
        let dim = context_dim.saturating_add(1);
        let problem = Problem::new(dim, objectives)?;
        moglb_math::memory::check_memory(1, dim)?;
        let PczIntervalConfig { horizon, delta, scale, lipschitz } = config;
        let rule = proved_width(problem.n_objectives(), horizon, delta, scale)?;
        let balls = Balls::new(rule, Metric::largest(lipschitz)?, vec![0.5; dim], problem.n_objectives());
        Ok(Self { objectives: problem.objectives().to_vec(), context_dim, balls })
    }

    /// Draws an arm uniformly from the domains of the relevant balls on the front of their indices.
    ///
    /// # Errors
    ///
    /// [`Error::Dimension`] or [`Error::ParameterBounds`] for a context that does not fit.
    pub fn decide(&self, context: &[f64], rng: &mut dyn Rng) -> Result<IntervalDecision, Error> {
        self.check_context(context)?;
        let mut region: Vec<(f64, f64)> = Vec::new();
        for Piece { low, high, .. } in self.playable(context) {
            match region.last_mut().filter(|last| last.1 == low) {
                Some(last) => last.1 = high,
                None => region.push((low, high)),
            }
        }
        let length: f64 = region.iter().map(|(low, high)| high - low).sum();
        Ok(IntervalDecision { arm: at(&region, draw::unit(rng) * length), density: 1.0 / length, region })
    }

    /// Learns the reward vector of an arm that was played at a context.
    ///
    /// # Errors
    ///
    /// [`Error::Dimension`], [`Error::ParameterBounds`], [`Error::RewardLength`] or [`Error::Reward`];
    /// nothing is changed then.
    pub fn learn(&mut self, context: &[f64], arm: f64, reward: &[f64]) -> Result<(), Error> {
        self.check_context(context)?;
        Parameter::check("arm", arm, 0.0..=1.0)?;
        if reward.len() != self.objectives.len() {
            return Err(Error::RewardLength { expected: self.objectives.len(), got: reward.len() });
        }
        self.objectives.iter().zip(reward).try_for_each(|(objective, &y)| objective.check_reward(y))?;
        let point = [context, &[arm]].concat();
        let units = self.objectives.iter().zip(reward).map(|(objective, &y)| objective.unit_reward(y));
        self.balls.learn(&point, units);
        Ok(())
    }

    /// Returns the number of rewards learned.
    pub fn t(&self) -> u64 {
        self.balls.rounds()
    }

    /// Returns the active balls, in the order of their activation. The last entry of a centre is the arm.
    pub fn balls(&self) -> Vec<Ball> {
        self.balls.to_vec()
    }

    /// Returns the learned state.
    pub fn state(&self) -> PczState {
        PczState { balls: self.balls.state() }
    }

    /// Replaces the learned state by that of a policy with the same objectives and parameters.
    ///
    /// ```
    /// use moglb::{Link, Objective, PczInterval, PczIntervalConfig};
    ///
    /// let objectives = vec![Objective::new("sales", Link::Logit)];
    /// let mut policy = PczInterval::new(0, objectives.clone(), PczIntervalConfig::default())?;
    /// policy.learn(&[], 0.4, &[1.0])?;
    /// let mut restored = PczInterval::new(0, objectives, PczIntervalConfig::default())?;
    /// restored.resume(policy.state())?;
    /// assert_eq!((restored.t(), restored.balls()), (1, policy.balls()));
    /// # Ok::<(), moglb::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::SnapshotDamaged`] if the state cannot be that of such a policy; nothing is changed then.
    pub fn resume(&mut self, state: PczState) -> Result<(), Error> {
        self.balls.resume(state.balls, |centre| centre.iter().all(|x| (0.0..=1.0).contains(x)))
    }

    /// Refuses a context with another number of features, or with entries outside of [0, 1].
    fn check_context(&self, context: &[f64]) -> Result<(), Error> {
        if context.len() != self.context_dim {
            return Err(Error::Dimension { expected: self.context_dim, got: context.len() });
        }
        context.iter().try_for_each(|&x| Parameter::check("context", x, 0.0..=1.0))
    }

    /// Returns the pieces in the domains of A^, in increasing order.
    fn playable(&self, context: &[f64]) -> Vec<Piece> {
        let mut pieces = self.pieces(context);
        if self.balls.rounds() == 0 {
            return pieces;
        }
        let mut relevant: Vec<usize> = pieces.iter().flat_map(|piece| piece.owners.iter().copied()).collect();
        relevant.sort_unstable();
        relevant.dedup();
        let mut index = Matrix::default();
        index.reshape(relevant.len(), self.objectives.len());
        for (place, &ball) in relevant.iter().enumerate() {
            index.row_mut(place).iter_mut().zip(self.balls.index(ball)).for_each(|(entry, g)| *entry = g);
        }
        let mut front = Front::default();
        FrontFilter::new().filter_finite((&index).into(), &mut front);
        let place = |ball: &usize| relevant.binary_search(ball).expect("owners are relevant");
        pieces.retain(|piece| piece.owners.iter().any(|ball| front.contains(ArmId(place(ball)))));
        pieces
    }

    /// Returns all arms at a context, in pieces with the same owners. It sweeps over the ends of the slices.
    fn pieces(&self, context: &[f64]) -> Vec<Piece> {
        let mut ends: Vec<(f64, usize, bool)> = Vec::new();
        for (ball, low, high) in self.slices(context) {
            ends.extend([(low, ball, true), (high, ball, false)]);
        }
        ends.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)).then(a.2.cmp(&b.2)));
        // The balls whose slice holds the present arm, by level. The deepest level that is not empty has the
        // owners.
        let mut over: Vec<Vec<usize>> = vec![Vec::new(); self.balls.n_levels()];
        let (mut pieces, mut low): (Vec<Piece>, f64) = (Vec::new(), 0.0);
        for (place, ball, begins) in ends {
            if place > low {
                let mut owners = over.iter().rev().find(|at| !at.is_empty()).cloned().unwrap_or_default();
                owners.sort_unstable();
                pieces.push(Piece { low, high: place, owners });
                low = place;
            }
            let at = &mut over[self.balls.level(ball)];
            if begins { at.push(ball) } else { at.retain(|&other| other != ball) }
        }
        pieces
    }

    /// Returns the slice of each ball at a context, as (ball, low, high). Slices of a single point are left
    /// out.
    fn slices(&self, context: &[f64]) -> impl Iterator<Item = (usize, f64, f64)> {
        (0..self.balls.len()).filter_map(move |ball| {
            if self.balls.level(ball) == 0 {
                return Some((ball, 0.0, 1.0));
            }
            let (centre, metric) = (self.balls.centre(ball), self.balls.metric());
            let (arm, at) = centre.split_last().expect("the arm is the last entry");
            let reach = self.balls.radius(ball) / metric.slope();
            let (low, high) = ((arm - reach).max(0.0), (arm + reach).min(1.0));
            (metric.distance(at, context) <= self.balls.radius(ball) && low < high)
                .then_some((ball, low, high))
        })
    }
}

/// Returns the arm with the length `below` of the region below it.
fn at(region: &[(f64, f64)], mut below: f64) -> f64 {
    for &(low, high) in region {
        if below < high - low {
            return (low + below).min(high);
        }
        below -= high - low;
    }
    region.last().expect("the pieces make up [0, 1]").1
}
