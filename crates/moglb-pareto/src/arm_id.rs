//! The index of an arm, or of any point, in its set.

/// The index of an arm in its arm set, counted from 0.
///
/// ```
/// assert_eq!(moglb::ArmId(3).to_string(), "3");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct ArmId(pub usize);

impl std::fmt::Display for ArmId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}
