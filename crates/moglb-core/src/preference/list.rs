//! Lists of several distinct arms per round.

use super::Play;
use super::outlook::Outlook;
use super::play::Weighed;
use crate::{ArmSet, Decision, Policy};
use moglb_math::{Error, draw};
use moglb_pareto::{ArmId, Front};
use rand_core::Rng;

/// A list of distinct arms, with the probability of every arm to be on it.
///
/// Example: [`Play::decide_list`].
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct List {
    /// The arms by decreasing probability; arms with equal probability are in random order.
    pub arms: Vec<ArmId>,
    /// The probability of every arm of the set to be on the list. Their sum is the length of the
    /// list.
    pub inclusion: Vec<f64>,
    /// The front that the policy reported.
    pub front: Front,
    /// The violation of the constraints by the first arms of the list, as in
    /// [`Outcome`](super::Outcome).
    pub shortfall: f64,
    /// True if `inclusion` is given a sample that the policy drew, as in
    /// [`Decision::given_sample`].
    pub given_sample: bool,
}

impl Play {
    /// Decides k distinct arms. If p are the probabilities of a single play, the probability of an
    /// arm to be on the list is
    ///
    /// ```text
    /// π = min(1, c·p)   where c makes Σπ = k
    /// ```
    ///
    /// If fewer than k arms have p > 0, all of these are on the list. The rest of the list is
    /// filled in the same way from the remaining arms: first from the rest of the front by the same
    /// preference, then from the front of the remaining arms, and so on. The draw is systematic
    /// sampling (Madow 1949) in random order, which has exactly these probabilities.
    ///
    /// ```
    /// use moglb::{ArmSet, Link, Objective, PlayConfig, PolicyConfig, Problem, draw};
    ///
    /// let objectives = vec![Objective::new("click", Link::Logit), Objective::new("sale",
    /// Link::Logit)];
    /// let problem = Problem::new(2, objectives)?;
    /// let policy = PolicyConfig::recommended().build(&problem)?;
    /// let play = PlayConfig::default().build(&problem)?;
    /// let arms = ArmSet::from_rows(&[[0.6, 0.1], [0.2, 0.7], [0.5, 0.5]])?;
    /// let list = play.decide_list(&*policy, &arms, &[], 2, &mut draw::seeded(7))?;
    /// assert_eq!(list.arms.len(), 2);
    /// # Ok::<(), moglb::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of [`Play::decide`], and [`Error::ListLength`].
    pub fn decide_list<P: Policy + ?Sized>(
        &self,
        policy: &P,
        arms: &ArmSet,
        exposures: &[u64],
        k: usize,
        rng: &mut dyn Rng,
    ) -> Result<List, Error> {
        let mut left = self.allowed(arms.n_arms())?;
        let allowed = left.iter().filter(|&&is_allowed| is_allowed).count();
        if k == 0 || k > allowed {
            return Err(Error::ListLength { allowed, got: k });
        }
        let mut decision = Decision::default();
        if let Some(narrow) = self.ask(policy, arms, exposures, rng, &mut decision)? {
            decision = narrow;
        }
        let known = Outlook { decision: &decision, scale: policy.facts().scale, exposures };
        let (mut list, mut inclusion, mut shortfall) = (Vec::with_capacity(k), vec![0.0; left.len()], None);
        while list.len() < k {
            let weighed = self.weigh(known, &left)?;
            shortfall.get_or_insert(weighed.shortfall);
            let group = Group::new(&weighed, k - list.len());
            for (arm, chance) in &group.arms {
                inclusion[arm.0] = *chance;
                left[arm.0] = false;
            }
            list.extend(group.draw(rng));
        }
        let Decision { front, given_sample, .. } = decision;
        Ok(List { arms: list, inclusion, front, shortfall: shortfall.unwrap_or(0.0), given_sample })
    }
}

/// Arms with their probabilities to be on the list, by decreasing probability.
struct Group {
    arms: Vec<(ArmId, f64)>,
    /// The number of arms to draw.
    k: usize,
}

impl Group {
    /// Returns the group of the arms with a positive probability, of which at most k are drawn.
    fn new(weighed: &Weighed, k: usize) -> Self {
        let wanted = weighed.probabilities.iter().enumerate().filter(|&(_, &p)| p > 0.0);
        let mut arms: Vec<(ArmId, f64)> = wanted.map(|(arm, &p)| (ArmId(arm), p)).collect();
        arms.sort_by(|a, b| b.1.total_cmp(&a.1));
        let k = k.min(arms.len());
        fill(&mut arms, k);
        Self { arms, k }
    }

    /// Draws the arms with probability one, and the others by systematic sampling: every arm is a
    /// segment of a line with its probability as length. The segments are laid out in random order,
    /// and the arms at u, u + 1, u + 2, … are drawn, for a uniform u in [0, 1).
    fn draw(&self, rng: &mut dyn Rng) -> Vec<ArmId> {
        let mut order: Vec<usize> = (0..self.arms.len()).collect();
        for k in (1..order.len()).rev() {
            order.swap(k, draw::below(k + 1, rng));
        }
        let (mut drawn, uncertain): (Vec<usize>, Vec<usize>) =
            order.into_iter().partition(|&place| self.arms[place].1 >= 1.0);
        let (mut end, mut next) = (0.0, draw::unit(rng));
        // Because of rounding, the line can end before the last point. Then the last arms are
        // drawn.
        for (index, &place) in uncertain.iter().enumerate() {
            end += self.arms[place].1;
            let missing = self.k - drawn.len();
            if missing > 0 && (next < end || missing == uncertain.len() - index) {
                drawn.push(place);
                next += 1.0;
            }
        }
        drawn.sort_by(|&a, &b| self.arms[b].1.total_cmp(&self.arms[a].1));
        drawn.into_iter().map(|place| self.arms[place].0).collect()
    }
}

/// Turns probabilities p > 0, sorted in decreasing order, into min(1, c·p) with sum k, where k is
/// at most the number of arms.
fn fill(arms: &mut [(ArmId, f64)], k: usize) {
    let (mut certain, mut k) = (0, k as f64);
    // The sums of the remaining probabilities, from the smallest up: subtraction would lose digits.
    let mut rests: Vec<f64> = vec![0.0; arms.len() + 1];
    for place in (0..arms.len()).rev() {
        rests[place] = rests[place + 1] + arms[place].1;
    }
    while certain < arms.len() && arms[certain].1 * k >= rests[certain] {
        certain += 1;
        k -= 1.0;
    }
    for (place, arm) in arms.iter_mut().enumerate() {
        arm.1 = if place < certain { 1.0 } else { arm.1 * k / rests[certain] };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chances(probabilities: &[f64], k: usize) -> Vec<f64> {
        let weighed = Weighed { probabilities: probabilities.to_vec(), shortfall: 0.0 };
        let mut chances = vec![0.0; probabilities.len()];
        Group::new(&weighed, k).arms.iter().for_each(|(arm, chance)| chances[arm.0] = *chance);
        chances
    }

    #[test]
    fn chances_are_proportional_and_capped_at_one() {
        assert_eq!(chances(&[0.5, 0.25, 0.25], 1), [0.5, 0.25, 0.25]);
        assert_eq!(chances(&[0.125, 0.5, 0.0, 0.375], 2), [0.25, 1.0, 0.0, 0.75]);
        assert_eq!(chances(&[0.7, 0.1, 0.1, 0.1], 2), [1.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0]);
        assert_eq!(chances(&[0.9, 0.1, 0.0], 2), [1.0, 1.0, 0.0]);
        assert_eq!(chances(&[0.9, 0.1, 0.0], 3), [1.0, 1.0, 0.0], "no more than can be played");
    }

    /// 40 000 lists; a frequency is off by five standard errors with chance 6e-7.
    #[test]
    fn arms_are_on_lists_as_often_as_their_chances_say() {
        let weighed = Weighed { probabilities: vec![0.05, 0.4, 0.0, 0.25, 0.2, 0.1], shortfall: 0.0 };
        for k in 1..=5 {
            let group = Group::new(&weighed, k);
            let (mut counts, n, mut rng) = ([0.0; 6], 40_000.0, draw::seeded(k as u64));
            for _ in 0..n as usize {
                let drawn = group.draw(&mut rng);
                assert_eq!(drawn.iter().collect::<std::collections::BTreeSet<_>>().len(), k, "distinct arms");
                drawn.iter().for_each(|arm| counts[arm.0] += 1.0);
            }
            let sum: f64 = group.arms.iter().map(|(_, chance)| chance).sum();
            assert!((sum - k as f64).abs() < 1e-12, "{sum}");
            for (arm, chance) in &group.arms {
                let frequency = counts[arm.0] / n;
                let error = 5.0 * (chance * (1.0 - chance) / n).sqrt();
                assert!((frequency - chance).abs() <= error, "k = {k}, {arm:?}: {frequency} for {chance}");
            }
            assert_eq!(counts[2], 0.0);
        }
    }
}
