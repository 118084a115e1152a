//! Linear bandits: a single number is predicted as θᵀx.

pub(crate) mod oful;
