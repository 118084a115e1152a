//! A front as a set of arms.

use crate::ArmId;

/// A set of arms, in increasing order of their ids: O* or O_t.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Front {
    arms: Vec<ArmId>,
}

impl Front {
    /// The set of all arms of a set of n, O_1.
    pub fn all(n_arms: usize) -> Self {
        Self::from_iter((0..n_arms).map(ArmId))
    }

    /// The number of arms.
    pub fn len(&self) -> usize {
        self.arms.len()
    }

    /// Whether there is no arm; so it is for a policy that has no front.
    pub fn is_empty(&self) -> bool {
        self.arms.is_empty()
    }

    /// Whether an arm is on the front.
    pub fn contains(&self, arm: ArmId) -> bool {
        self.arms.binary_search(&arm).is_ok()
    }

    /// The arms in increasing order.
    pub fn arms(&self) -> &[ArmId] {
        &self.arms
    }

    /// The arms in increasing order.
    pub fn iter(&self) -> impl Iterator<Item = ArmId> + Clone + '_ {
        self.arms.iter().copied()
    }

    /// How many arms two fronts share.
    pub fn shared(&self, other: &Front) -> usize {
        let (mut i, mut j, mut count) = (0, 0, 0);
        while i < self.len() && j < other.len() {
            let (a, b) = (self.arms[i], other.arms[j]);
            count += usize::from(a == b);
            i += usize::from(a <= b);
            j += usize::from(b <= a);
        }
        count
    }

    #[doc(hidden)]
    pub fn clear(&mut self) {
        self.arms.clear();
    }

    /// Gives every arm another id; the order stays increasing.
    #[doc(hidden)]
    pub fn rename(&mut self, name: impl Fn(ArmId) -> ArmId) {
        self.arms.iter_mut().for_each(|arm| *arm = name(*arm));
        debug_assert!(self.arms.is_sorted());
    }

    /// Takes the place of the present arms; `arms` come in increasing order.
    #[doc(hidden)]
    pub fn refill(&mut self, arms: impl Iterator<Item = ArmId>) {
        self.arms.clear();
        self.arms.extend(arms);
        debug_assert!(self.arms.is_sorted());
    }
}

impl FromIterator<ArmId> for Front {
    fn from_iter<I: IntoIterator<Item = ArmId>>(arms: I) -> Self {
        let mut arms: Vec<ArmId> = arms.into_iter().collect();
        arms.sort_unstable();
        arms.dedup();
        Self { arms }
    }
}
