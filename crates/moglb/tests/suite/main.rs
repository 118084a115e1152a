//! The tests of the library in one program, so that the crate is linked once and not for every file.
//!
//! Next to it are tests that need a separate process: `allocations` and `front_memory` count memory, and
//! `golden` is also run alone, in other builds and to write its traces again.

#[path = "../common/mod.rs"]
mod common;

mod adversarial;
mod bad_input;
mod beliefs;
mod certificate;
mod changes;
mod conformance;
mod discount;
mod drift;
mod effective_front;
mod fair;
mod features;
mod first_rounds;
mod first_rounds_multi;
mod fixed_arms;
mod fresh_arms;
mod front_filter;
mod general;
mod glm;
mod glm_coverage;
mod identify;
mod identify_by_hand;
mod identify_samples;
mod laws;
mod laws_eb;
mod laws_parts;
mod laws_projection;
mod laws_snapshot;
mod linear;
mod lipschitz;
mod monitor;
mod multi;
mod numerical_health;
mod oracles;
mod oracles_pareto;
mod oracles_policy;
mod paths;
mod pcz;
mod pcz_interval;
mod pcz_laws;
mod preferences;
mod probabilities;
mod reference;
mod reference_eb;
mod signs_of_zero;
mod snapshots_at_the_edge;
mod sparse;
mod statistics;
mod warm_start;
