//! After many rounds on numerically difficult contexts, the results from the state still agree with a fresh
//! factorization.
//! `examples/soak.rs` does the same for ten million rounds.

use crate::common::shadow::{Drift, soak};
use crate::common::{ball, direction};
use moglb::{Gram, draw};

#[test]
fn the_state_does_not_drift_and_does_not_grow() {
    let drift = soak(200_000, 20_000);
    let Drift { width, log_det, estimate, .. } = drift;
    assert!(width < 1e-8, "widths are off by {width}");
    assert!(log_det < 1e-8, "log det is off by {log_det}");
    assert!(estimate.iter().all(|&off| off < 1e-8), "estimates are off by {estimate:?}");
    assert_eq!(drift.early_bytes, drift.late_bytes, "the state grew");
    let grown = drift.late_snapshot - drift.early_snapshot;
    assert!(grown <= 18, "the snapshot grew by {grown} bytes, more than two counters can");
    assert!(drift.projections > 0, "no projection was seen");
}

/// A million contexts, each too short to change a single pivot by an ulp. All of them are lost, which costs
/// less than one ulp per round: here 1e-11, far below 1e-8.
#[test]
fn contexts_below_the_last_digit_are_lost_within_bounds() {
    let mut z = Gram::new(2, 1.0, 0.1);
    let rounds = 1_000_000_u32;
    for _ in 0..rounds {
        z.add(&[1e-8, 0.0]);
    }
    let truth = 1.0 / (1.0 + 0.1 * 1e-16 * f64::from(rounds));
    let off = (z.squared_norm_inv(&[1.0, 0.0]) / truth - 1.0).abs();
    assert!(off <= f64::from(rounds) * f64::EPSILON, "off by {off}");
}

/// The factor of a Gram matrix remains a factor after many updates: Z Z⁻¹ b = b up to rounding relative to
/// its condition.
#[test]
fn solving_undoes_multiplying_after_many_updates() {
    let mut rng = draw::seeded(601);
    for dim in [1, 3, 17, 40] {
        let mut z = Gram::new(dim, 1.0, 0.1);
        let favorite = direction(dim, &mut rng);
        for round in 0..20_000 {
            if round % 100 == 0 { z.add(&ball(dim, 1.0, &mut rng)) } else { z.add(&favorite) }
        }
        let b = direction(dim, &mut rng);
        let back = crate::common::dense(&z) * crate::common::vector(&z.solve(&b));
        let off = (back - crate::common::vector(&b)).amax();
        assert!(off < 2000.0 * 1e-15 * dim as f64, "d = {dim}: off by {off}");
    }
}
