//! Policies for several objectives at once, beyond the paper's own: scalarized, lexicographic, sampled and fair ones.

pub(crate) mod scalarization;
