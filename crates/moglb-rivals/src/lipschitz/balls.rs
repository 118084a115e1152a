//! Active balls, the learned state of zooming policies: those of Turgay, Öner, Tekin 2018, and those of
//! Slivkins 2014, which differ in two numbers and in the balls that count for an index ([`Rule`]).
//!
//! A ball B has a centre, a radius r(B) = 2^(−level), a count N_B and mean rewards μ̂_B, mapped to [0, 1].
//! Its confidence width, pre-index and index are
//!
//! ```text
//! u_B = factor/√(offset + N_B)
//! pre_B = μ̂_B + u_B + r(B)
//! g_B = r(B) + min over B' of (pre_B' + D(B', B))
//! ```
//!
//! The domain of B is B without all active balls of smaller radius. The owners of a point are the balls whose
//! domain holds it. They are the balls of the least radius among those that hold the point, so they all have
//! the same radius.

use super::metric::Metric;
use moglb_core::saved::{check_rounds, damaged};
use moglb_math::{Error, draw};
use moglb_pareto::dominates;
use serde::{Deserialize, Serialize};

/// The seed of the draws among owners. It is fixed, and independent of the seeds that users give.
const OWNERS: u64 = 0x6d6f_676c_6270_637a;

/// The largest accepted level. No accepted parameters give a width that lets radii become this small within
/// 2⁵³ rounds.
const DEEPEST: u8 = 60;

/// The differences between the balls of one policy and those of another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Rule {
    /// The factor in u_B.
    pub factor: f64,
    /// The offset in u_B.
    pub offset: f64,
    /// True if B' in the index runs only over the balls that are at least as large as B.
    pub(crate) from_larger: bool,
}

impl Rule {
    /// Returns u_B of a ball with this number of samples.
    pub fn width(&self, count: u64) -> f64 {
        self.factor / (self.offset + count as f64).sqrt()
    }
}

/// An active ball, for inspection.
///
/// Example: [`Pcz`].
///
/// [`Pcz`]: crate::Pcz
#[derive(Debug, Clone, PartialEq)]
pub struct Ball {
    /// The centre.
    pub centre: Vec<f64>,
    /// r(B).
    pub radius: f64,
    /// N_B.
    pub count: u64,
    /// μ̂_B, mapped to [0, 1] so that larger is better.
    pub means: Vec<f64>,
    /// g_B, infinite before the first reward.
    pub index: Vec<f64>,
}

/// An active ball in a learned state.
///
/// Example: [`PczInterval::resume`].
///
/// [`PczInterval::resume`]: crate::PczInterval::resume
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BallState {
    /// The centre.
    pub centre: Vec<f64>,
    /// The level; the radius is 2^(−level).
    pub level: u8,
    /// N_B, the number of rewards that were credited to the ball.
    pub count: u64,
    /// The sum of these rewards in each objective, mapped to [0, 1].
    pub sums: Vec<f64>,
}

impl BallState {
    /// Returns true if every ball has this number of features and of objectives.
    pub(crate) fn all_fit(balls: &[BallState], dim: usize, columns: usize) -> bool {
        balls.iter().all(|ball| ball.centre.len() == dim && ball.sums.len() == columns)
    }
}

/// All active balls, in the order of their activation.
#[derive(Debug, Clone)]
pub(crate) struct Balls {
    rule: Rule,
    metric: Metric,
    balls: Vec<BallState>,
    /// pre_B of each ball and objective. Neither these nor the floors are part of the learned state: they
    /// follow from the balls.
    pres: Vec<f64>,
    /// The minimum over B' of (pre_B' + D(B', B)), for each ball and objective.
    floors: Vec<f64>,
    /// The numbers of the balls of each level.
    levels: Vec<Vec<usize>>,
    rounds: u64,
}

impl Balls {
    /// Returns a single ball of radius 1 around the centre. It holds every point, as D ≤ 1.
    pub fn new(rule: Rule, metric: Metric, centre: Vec<f64>, columns: usize) -> Self {
        let root = BallState { centre, level: 0, count: 0, sums: vec![0.0; columns] };
        let mut balls = Self {
            rule,
            metric,
            balls: Vec::new(),
            pres: Vec::new(),
            floors: Vec::new(),
            levels: Vec::new(),
            rounds: 0,
        };
        balls.push(root);
        balls
    }

    /// Returns the number of rewards learned.
    pub fn rounds(&self) -> u64 {
        self.rounds
    }

    /// Returns the number of active balls.
    pub fn len(&self) -> usize {
        self.balls.len()
    }

    /// Returns the metric D.
    pub(crate) fn metric(&self) -> &Metric {
        &self.metric
    }

    /// Returns the number of levels, one more than the level of the smallest balls.
    pub(crate) fn n_levels(&self) -> usize {
        self.levels.len()
    }

    /// Returns the balls of radius 2^(−level), in the order of their activation.
    pub(crate) fn at_level(&self, level: usize) -> &[usize] {
        &self.levels[level]
    }

    /// Returns the level of a ball.
    pub fn level(&self, ball: usize) -> usize {
        usize::from(self.balls[ball].level)
    }

    /// Returns the centre of a ball.
    pub(crate) fn centre(&self, ball: usize) -> &[f64] {
        &self.balls[ball].centre
    }

    /// Returns r(B).
    pub fn radius(&self, ball: usize) -> f64 {
        radius(self.balls[ball].level)
    }

    /// Returns u_B.
    pub fn width(&self, ball: usize) -> f64 {
        self.rule.width(self.balls[ball].count)
    }

    /// Returns μ̂_B in an objective, 0 before the first sample.
    pub fn mean(&self, ball: usize, objective: usize) -> f64 {
        let BallState { count, sums, .. } = &self.balls[ball];
        if *count == 0 { 0.0 } else { sums[objective] / *count as f64 }
    }

    /// Returns g_B, one entry per objective.
    pub fn index(&self, ball: usize) -> impl Iterator<Item = f64> + '_ {
        let (radius, m) = (self.radius(ball), self.columns());
        self.floors[ball * m..(ball + 1) * m].iter().map(move |floor| radius + floor)
    }

    /// Returns true if a ball holds a point.
    pub fn holds(&self, ball: usize, x: &[f64]) -> bool {
        self.balls[ball].level == 0 || self.metric.distance(self.centre(ball), x) <= self.radius(ball)
    }

    /// Returns all balls for inspection, in the order of their activation.
    pub fn to_vec(&self) -> Vec<Ball> {
        let look = |(ball, state): (usize, &BallState)| Ball {
            centre: state.centre.clone(),
            radius: self.radius(ball),
            count: state.count,
            means: (0..self.columns()).map(|i| self.mean(ball, i)).collect(),
            index: self.index(ball).collect(),
        };
        self.balls.iter().enumerate().map(look).collect()
    }

    /// Learns the reward of a point, mapped to [0, 1]. Returns true if a ball was activated; it is then the
    /// last one.
    ///
    /// The reward is credited to an owner of the point. If the owner's width was at most its radius *before*
    /// this reward, a ball of half its radius is activated at the point. The new ball does not get the
    /// reward.
    pub fn learn(&mut self, x: &[f64], reward: impl Iterator<Item = f64>) -> bool {
        let parent = self.owner_to_credit(x);
        let activates = self.width(parent) <= self.radius(parent);
        if activates {
            let level = self.balls[parent].level + 1;
            let sums = vec![0.0; self.columns()];
            self.push(BallState { centre: x.to_vec(), level, count: 0, sums });
        }
        self.credit(parent, reward);
        activates
    }

    /// Returns an owner of a point that no other owner dominates. Among several, the draw is uniform and
    /// comes from a stream that the number of rewards selects, so that learning needs no generator.
    fn owner_to_credit(&self, x: &[f64]) -> usize {
        let mut owners = self.owners(x);
        if owners.len() == 1 {
            return owners[0];
        }
        let index: Vec<Vec<f64>> = owners.iter().map(|&ball| self.index(ball).collect()).collect();
        let mut at = 0..owners.len();
        owners.retain(|_| {
            let own = &index[at.next().expect("one index per owner")];
            !index.iter().any(|other| dominates(other, own))
        });
        let mut rng = draw::seeded(OWNERS);
        rng.set_stream(self.rounds);
        owners[draw::below(owners.len(), &mut rng)]
    }

    /// Returns the balls whose domain holds a point, in the order of their activation. It searches the levels
    /// from the smallest radius up, and stops at the first level that has a ball with the point.
    pub(crate) fn owners(&self, x: &[f64]) -> Vec<usize> {
        let at = |level: usize| self.levels[level].iter().copied().filter(|&ball| self.holds(ball, x));
        (0..self.levels.len())
            .rev()
            .map(|level| at(level).collect::<Vec<_>>())
            .find(|owners| !owners.is_empty())
            .expect("the ball of radius one holds every point")
    }

    /// Returns the number of objectives.
    pub fn columns(&self) -> usize {
        self.balls[0].sums.len()
    }

    /// Renews pre_B, the bound on the means of the ball's points that follows from its own samples.
    fn refresh_pre(&mut self, ball: usize) {
        let (m, width, radius) = (self.columns(), self.width(ball), self.radius(ball));
        for i in 0..m {
            self.pres[ball * m + i] = self.mean(ball, i) + width + radius;
        }
    }

    /// Returns true if the index of ball `of` includes the ball `other`.
    fn asks(&self, of: usize, other: usize) -> bool {
        !self.rule.from_larger || self.balls[other].level <= self.balls[of].level
    }

    /// Adds a ball to the active ones.
    fn push(&mut self, ball: BallState) {
        let (number, level) = (self.balls.len(), usize::from(ball.level));
        self.balls.push(ball);
        if self.levels.len() == level {
            self.levels.push(Vec::new());
        }
        self.levels[level].push(number);
        let m = self.columns();
        self.pres.resize(self.balls.len() * m, f64::INFINITY);
        self.floors.resize(self.balls.len() * m, f64::INFINITY);
        self.lower(number);
        // Also without samples, its pre-index is finite if the offset is positive, and may be the least for a
        // ball.
        self.spread(number);
    }

    /// Adds a reward to a ball.
    fn credit(&mut self, ball: usize, reward: impl Iterator<Item = f64>) {
        let state = &mut self.balls[ball];
        state.count += 1;
        state.sums.iter_mut().zip(reward).for_each(|(sum, y)| *sum += y);
        self.rounds += 1;
        self.spread(ball);
    }

    /// Renews the pre-index of a ball, and updates the floors of all balls. A minimum does not depend on the
    /// order in which it is found, so the floors have the bits of a scan over all balls.
    fn spread(&mut self, ball: usize) {
        let m = self.columns();
        let before = self.pres[ball * m..(ball + 1) * m].to_vec();
        self.refresh_pre(ball);
        for other in 0..self.balls.len() {
            let (now, floors) = (&self.pres[ball * m..][..m], &self.floors[other * m..][..m]);
            let mut values = before.iter().zip(now).zip(floors);
            let may_matter = values.any(|((before, now), floor)| before.min(*now) <= *floor);
            if !self.asks(other, ball) || !may_matter {
                continue; // as D ≥ 0, this ball did not set the floor and does not set it now
            }
            let distance = self.metric.distance(self.centre(ball), self.centre(other));
            let mut risen = false;
            for (i, before) in before.iter().enumerate() {
                let (floor, is) = (&mut self.floors[other * m + i], self.pres[ball * m + i] + distance);
                // If this ball set the floor and its value has risen, another ball may set the floor now.
                risen |= before + distance == *floor && is > *floor;
                *floor = if before + distance == *floor { is } else { floor.min(is) };
            }
            if risen {
                self.lower(other);
            }
        }
    }

    /// Lowers the floors of a ball to the minimum over all balls that count for its index.
    fn lower(&mut self, ball: usize) {
        let m = self.columns();
        for other in 0..self.balls.len() {
            let (pres, floors) = (&self.pres[other * m..][..m], &self.floors[ball * m..][..m]);
            if !self.asks(ball, other) || pres.iter().zip(floors).all(|(pre, floor)| pre >= floor) {
                continue;
            }
            let distance = self.metric.distance(self.centre(other), self.centre(ball));
            for i in 0..m {
                let floor = &mut self.floors[ball * m + i];
                *floor = floor.min(self.pres[other * m + i] + distance);
            }
        }
    }

    /// Returns the learned state, in the order of activation.
    pub fn state(&self) -> Vec<BallState> {
        self.balls.clone()
    }

    /// Replaces the balls by others. `possible` returns true for a centre that a ball can have.
    ///
    /// # Errors
    ///
    /// [`Error::SnapshotDamaged`] if the balls cannot result from any sequence of rewards; nothing is changed
    /// then.
    pub fn resume(&mut self, balls: Vec<BallState>, possible: impl Fn(&[f64]) -> bool) -> Result<(), Error> {
        let root = &self.balls[0];
        if !BallState::all_fit(&balls, root.centre.len(), root.sums.len()) {
            return Err(damaged(&"a ball has another number of features or objectives"));
        }
        if balls.first().is_none_or(|first| first.level != 0 || first.centre != root.centre) {
            return Err(damaged(&"the first ball is not the one that holds everything"));
        }
        let rounds = balls.iter().try_fold(0u64, |sum, ball| sum.checked_add(ball.count));
        let rounds = rounds.ok_or_else(|| damaged(&"more rounds than can be counted"))?;
        check_rounds(rounds)?;
        if balls.len() > 1 && balls[0].count == 0 || balls.len() as u64 > rounds + 1 {
            return Err(damaged(&"a ball was activated without rewards"));
        }
        for (index, ball) in balls.iter().enumerate().skip(1) {
            let parents = balls[..index].iter().any(|other| other.level + 1 == ball.level);
            if !parents || ball.level > DEEPEST || !possible(&ball.centre) {
                return Err(damaged(&"a ball has an impossible radius or centre"));
            }
        }
        let in_bounds = |ball: &BallState| {
            let most = ball.count as f64 * (1.0 + 1e-9);
            ball.sums.iter().all(|&sum| sum >= 0.0 && sum <= most)
        };
        if !balls.iter().all(in_bounds) {
            return Err(damaged(&"a sum of rewards is out of bounds"));
        }
        let mut levels =
            vec![Vec::new(); balls.iter().map(|ball| usize::from(ball.level) + 1).max().unwrap_or(1)];
        balls.iter().enumerate().for_each(|(number, ball)| levels[usize::from(ball.level)].push(number));
        let size = balls.len() * root.sums.len();
        (self.balls, self.levels, self.rounds) = (balls, levels, rounds);
        (self.pres, self.floors) = (vec![f64::INFINITY; size], vec![f64::INFINITY; size]);
        (0..self.balls.len()).for_each(|ball| self.refresh_pre(ball));
        (0..self.balls.len()).for_each(|ball| self.lower(ball));
        Ok(())
    }
}

/// Returns 2^(−level).
fn radius(level: u8) -> f64 {
    1.0 / (1u64 << level) as f64
}
