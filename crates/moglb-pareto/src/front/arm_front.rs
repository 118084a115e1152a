//! Fronts as sets of arms.

use crate::ArmId;

/// A set of arms, in increasing order of their ids: O* or O_t.
///
/// ```
/// use moglb::{ArmId, Front};
/// let (all, some) = (Front::all(3), Front::from_iter([ArmId(1), ArmId(4)]));
/// assert_eq!((all.len(), all.shared(&some), some.contains(ArmId(4))), (3, 1, true));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Front {
    arms: Vec<ArmId>,
}

impl Front {
    /// Returns the set of all of n arms, O_1.
    pub fn all(n_arms: usize) -> Self {
        Self::from_iter((0..n_arms).map(ArmId))
    }

    /// The number of arms.
    pub fn len(&self) -> usize {
        self.arms.len()
    }

    /// Returns true if the set has no arm, as for a policy that has no front.
    pub fn is_empty(&self) -> bool {
        self.arms.is_empty()
    }

    /// Returns true if an arm is in the set.
    pub fn contains(&self, arm: ArmId) -> bool {
        self.arms.binary_search(&arm).is_ok()
    }

    /// The arms, in increasing order.
    pub fn arms(&self) -> &[ArmId] {
        &self.arms
    }

    /// The arms, in increasing order.
    pub fn iter(&self) -> impl Iterator<Item = ArmId> + Clone + '_ {
        self.arms.iter().copied()
    }

    /// Returns the number of arms that both sets have.
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

    /// Removes all arms, keeping the allocation.
    #[doc(hidden)]
    pub fn clear(&mut self) {
        self.arms.clear();
    }

    /// Replaces the id of every arm. `name` must be increasing, so that the order stays increasing.
    #[doc(hidden)]
    pub fn rename(&mut self, name: impl Fn(ArmId) -> ArmId) {
        self.arms.iter_mut().for_each(|arm| *arm = name(*arm));
        debug_assert!(self.arms.is_sorted());
    }

    /// Replaces all arms, keeping the allocation. `arms` must be in increasing order.
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
