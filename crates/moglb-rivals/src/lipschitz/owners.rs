//! The owners of each arm. For finitely many arms, they are the "relevant balls" of a decision.

use super::balls::Balls;
use moglb_core::ArmSet;
use moglb_math::Matrix;
use moglb_pareto::{ArmId, Front, FrontFilter};

/// The owners of each arm: the balls whose domain holds it. All owners of an arm have one radius.
///
/// For fixed arms the table is cached, and only a new ball is compared with the arms. For fresh arms it is
/// filled from the smallest balls up, and an arm that a smaller ball owns is skipped from then on. Both ways
/// give the same table.
#[derive(Debug, Clone, Default)]
pub(crate) struct Owners {
    /// The level of the owners of each arm.
    levels: Vec<usize>,
    /// The owners of each arm.
    owners: Vec<Vec<usize>>,
}

impl Owners {
    /// Fills the table for new arms.
    pub(crate) fn refill(&mut self, balls: &Balls, arms: &ArmSet) {
        self.levels.clear();
        self.levels.resize(arms.n_arms(), 0);
        self.owners.iter_mut().for_each(Vec::clear);
        self.owners.resize(arms.n_arms(), Vec::new());
        for level in (0..balls.n_levels()).rev() {
            balls.at_level(level).iter().for_each(|&ball| self.touch(balls, ball, arms));
        }
    }

    /// Compares a ball with the arms. It becomes the owner of the arms in it that larger balls own, and a
    /// further owner of those that balls of its size own.
    pub(crate) fn touch(&mut self, balls: &Balls, ball: usize, arms: &ArmSet) {
        let level = balls.level(ball);
        for (arm, (at, owners)) in self.levels.iter_mut().zip(&mut self.owners).enumerate() {
            if level < *at || !balls.holds(ball, arms.context(arm)) {
                continue;
            }
            if level > *at {
                *at = level;
                owners.clear();
            }
            owners.push(ball);
        }
    }

    /// Returns the owners of an arm, in the order of their activation.
    pub fn of(&self, arm: usize) -> &[usize] {
        &self.owners[arm]
    }
}

/// Buffers for finding the arms to play. These are the arms in the domains of the relevant balls on the front
/// of the indices.
#[derive(Debug, Clone, Default)]
pub(crate) struct Domains {
    /// The owners of arms that are not cached.
    pub fresh: Owners,
    /// The place of each ball among the relevant ones; `usize::MAX` for a ball that is not relevant.
    places: Vec<usize>,
    /// The index of each relevant ball.
    index: Matrix,
    filter: FrontFilter,
    front: Front,
}

impl Domains {
    /// Writes the arms in the domains of A^, the balls on the front, into `playable`.
    pub(crate) fn playable(
        &mut self,
        balls: &Balls,
        owners: &Owners,
        n_arms: usize,
        playable: &mut Vec<ArmId>,
    ) {
        playable.clear();
        // Without a reward the only ball has an infinite index and holds everything.
        if balls.rounds() == 0 {
            playable.extend((0..n_arms).map(ArmId));
            return;
        }
        let relevant = self.find_relevant(balls, owners, n_arms);
        self.filter.filter_finite((&self.index).into(), &mut self.front);
        debug_assert_eq!(self.index.n_rows(), relevant);
        let on_front = |ball: &usize| self.front.contains(ArmId(self.places[*ball]));
        playable.extend((0..n_arms).filter(|&arm| owners.of(arm).iter().any(on_front)).map(ArmId));
    }

    /// Gives each ball that owns an arm a place, and writes its index there. Returns the number of these
    /// balls.
    fn find_relevant(&mut self, balls: &Balls, owners: &Owners, n_arms: usize) -> usize {
        self.places.clear();
        self.places.resize(balls.len(), usize::MAX);
        let mut relevant = 0;
        for &ball in (0..n_arms).flat_map(|arm| owners.of(arm)) {
            if self.places[ball] == usize::MAX {
                self.places[ball] = relevant;
                relevant += 1;
            }
        }
        self.index.reshape(relevant, balls.columns());
        for (ball, &place) in self.places.iter().enumerate().filter(|&(_, &place)| place != usize::MAX) {
            let row = self.index.row_mut(place);
            row.iter_mut().zip(balls.index(ball)).for_each(|(entry, index)| *entry = index);
        }
        relevant
    }
}

#[cfg(test)]
mod tests {
    use super::super::balls::Rule;
    use super::super::metric::Metric;
    use super::*;
    use moglb_math::draw;

    impl Owners {
        /// Returns the first arm whose owners are wrong. The owners must be, once each and in order, the
        /// balls whose domain holds the arm: those that hold it while no smaller ball does. The check looks
        /// at every ball, and uses distances only.
        pub(crate) fn misplaced(&self, balls: &Balls, arms: &ArmSet) -> Option<usize> {
            let inside =
                |ball: usize, x: &[f64]| balls.metric().distance(balls.centre(ball), x) <= balls.radius(ball);
            let smaller = |ball: usize, x: &[f64]| {
                (0..balls.len()).any(|other| balls.radius(other) < balls.radius(ball) && inside(other, x))
            };
            (0..arms.n_arms()).find(|&arm| {
                let x = arms.context(arm);
                let domains = (0..balls.len()).filter(|&ball| inside(ball, x) && !smaller(ball, x));
                self.of(arm).is_empty() || !domains.eq(self.of(arm).iter().copied())
            })
        }
    }

    /// Returns balls of several sizes around random points, and random arms.
    fn some_balls(seed: u64) -> (Balls, ArmSet<'static>) {
        let rule = Rule { factor: 0.3, offset: 0.0, from_larger: false };
        let mut balls = Balls::new(rule, Metric::largest(1.0).unwrap(), vec![0.0; 2], 1);
        let mut rng = draw::seeded(seed);
        let mut point = || [0.7 * draw::unit(&mut rng), 0.7 * draw::unit(&mut rng)];
        for _ in 0..120 {
            balls.learn(&point(), [0.5].into_iter());
        }
        let rows: Vec<[f64; 2]> = (0..60).map(|_| point()).collect();
        (balls, ArmSet::from_rows(&rows).unwrap())
    }

    /// Every arm has owners. Each of them holds the arm, no smaller ball holds it, and no ball of their
    /// radius that holds it is missing.
    #[test]
    fn every_arm_is_owned_by_the_smallest_balls_that_hold_it() {
        let mut shared = 0;
        for seed in 0..20 {
            let (balls, arms) = some_balls(seed);
            let mut owners = Owners::default();
            owners.refill(&balls, &arms);
            assert_eq!(owners.misplaced(&balls, &arms), None, "seed {seed}");
            shared += (0..60).filter(|&arm| owners.of(arm).len() > 1).count();
            assert!(balls.n_levels() > 2, "seed {seed}: {} levels", balls.n_levels());
        }
        assert!(shared > 20, "{shared} arms with several owners");
    }

    /// A negative control of the check above: each way to break one arm of a table is found, at that arm.
    #[test]
    fn a_broken_table_is_noticed() {
        let (balls, arms) = some_balls(3);
        let mut whole = Owners::default();
        whole.refill(&balls, &arms);
        let arm = (0..60).find(|&arm| whole.of(arm).len() > 1).expect("an arm with several owners");
        let stranger = (0..balls.len()).find(|&ball| !balls.holds(ball, arms.context(arm))).unwrap();
        let one = whole.of(arm)[0];
        for broken in
            [vec![], vec![0], vec![one], vec![one, one], vec![stranger], [&[0], whole.of(arm)].concat()]
        {
            let mut table = whole.clone();
            table.owners[arm] = broken.clone();
            assert_eq!(
                table.misplaced(&balls, &arms),
                Some(arm),
                "{broken:?} instead of {:?}",
                whole.of(arm)
            );
        }
    }
}
