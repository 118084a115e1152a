//! The width of the confidence sets (step 8): γ_t by Theorem 1, tightened, or tuned as in the experiments.

use crate::LinkConstants;
use libm::log;
use moglb_math::Error;

/// The formula of the squared width factor γ in Eq. (6).
///
/// Example: [`MoglbUcb`].
///
/// [`MoglbUcb`]: crate::MoglbUcb
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Width {
    /// Eq. (8): the confidence sets of Theorem 1 hold for all t with probability at least 1 − δ.
    Proved {
        /// The chance δ of leaving any set at any time.
        delta: f64,
    },
    /// The proof of Theorem 1 without its three loose steps. It also holds with probability at least 1 − δ.
    ///
    /// # Departure
    ///
    /// The paper bounds the noise by R + U, where Hoeffding gives half the range of the reward. It loses a
    /// factor four in the step √(pq) ≤ p/c + cq. It replaces the realized gradients by their bound. Without
    /// these three steps:
    ///
    /// ```text
    /// γ̃_{t+1,i} = λD² + κ/2 + (4σ²/κ) log((m/δ) √(1 + 4D² Σ‖x_s‖²))
    ///            + Σ (y_s − μ(θ̂_sᵀx_s))² ‖x_s‖²_{Z_{s+1}⁻¹}
    /// ```
    ///
    /// with σ half the range of the objective's rewards. On the benchmark this is about thirty times smaller
    /// than the proved width at T = 3000.
    Tightened {
        /// The chance δ of leaving any set at any time.
        delta: f64,
    },
    /// c · log(det Z_t / det Z_1), as in the paper's experiments; no guarantee. With a prior, the
    /// determinant is compared with that of λI, as if the prior had been learned here. With a discount, it
    /// is the determinant of the discounted Z, and a negative logarithm counts as 0.
    Tuned {
        /// The factor c.
        c: f64,
    },
}

impl Default for Width {
    /// The paper's experiments with c = 0.01.
    fn default() -> Self {
        Self::Tuned { c: 0.01 }
    }
}

/// The inputs of γ_{t+1,i}, except the configuration.
#[derive(Debug, Clone, Copy)]
pub struct WidthInputs {
    /// κ, L, U: shared or of this objective.
    pub constants: LinkConstants,
    /// R.
    pub reward_bound: f64,
    /// σ: half the range of the objective's rewards.
    pub sub_gaussian: f64,
    /// m.
    pub n_objectives: usize,
    /// D.
    pub radius: f64,
    /// λ.
    pub lambda: f64,
    /// t of this objective: the number of contexts added to its Z.
    pub rounds: u64,
    /// Σ‖x_s‖².
    pub squared_norms: f64,
    /// The sum of squared gradients, Σ (y_s − μ(θ̂_sᵀx_s))² ‖x_s‖²_{Z_{s+1}⁻¹}.
    pub gradients: f64,
    /// log(det Z_{t+1} / det Z_1).
    pub log_det: f64,
}

impl Width {
    /// Refuses δ outside of (0, 1) and c below 0.
    #[doc(hidden)]
    pub fn check(self) -> Result<(), Error> {
        match self {
            Width::Proved { delta } | Width::Tightened { delta } if !(delta > 0.0 && delta < 1.0) => {
                Err(Error::Delta { got: delta })
            }
            Width::Tuned { c } if !(0.0..=1e100).contains(&c) => Err(Error::WidthFactor { got: c }),
            _ => Ok(()),
        }
    }

    /// Returns γ_{t+1,i}.
    #[doc(hidden)]
    pub fn gamma(self, of: &WidthInputs) -> f64 {
        let LinkConstants { kappa, bound, .. } = of.constants;
        let fixed = of.lambda * of.radius * of.radius + kappa / 2.0;
        // log((m/δ) √(1 + 4D² s)) for a sum s of squared norms, each at most one.
        let confidence = |delta: f64, squared_norms: f64| {
            // log m − log δ, not log(m/δ): the quotient overflows for the smallest δ.
            log(of.n_objectives as f64) - log(delta)
                + 0.5 * log(1.0 + 4.0 * of.radius * of.radius * squared_norms)
        };
        match self {
            Width::Proved { delta } => {
                let noise = (of.reward_bound + bound) * (of.reward_bound + bound); // Eq. (8)
                16.0 * noise / kappa * confidence(delta, of.rounds as f64)
                    + fixed
                    + 2.0 * noise / kappa * of.log_det
            }
            Width::Tightened { delta } => {
                let noise = of.sub_gaussian * of.sub_gaussian;
                4.0 * noise / kappa * confidence(delta, of.squared_norms) + fixed + of.gradients
            }
            Width::Tuned { c } => c * of.log_det.max(0.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Link;

    /// The benchmark's constants: R = 1, κ = 0.1966, U = 0.8413, D = λ = 1, m = 5.
    fn benchmark(rounds: u64, log_det: f64) -> WidthInputs {
        let logit = Link::Logit.constants(1.0);
        let probit = Link::Probit.constants(1.0);
        WidthInputs {
            constants: LinkConstants { kappa: logit.kappa, lipschitz: probit.lipschitz, bound: probit.bound },
            reward_bound: 1.0,
            sub_gaussian: 0.5,
            n_objectives: 5,
            radius: 1.0,
            lambda: 1.0,
            rounds,
            squared_norms: rounds as f64,
            gradients: 0.0,
            log_det,
        }
    }

    #[test]
    fn the_proved_width_is_equation_8() {
        // By hand: (R+U)² = 3.39055, log(100 √12001) = 9.30159, Corollary 1 at d = 10 for log det.
        let log_det = 10.0 * (1.0_f64 + 0.196612 * 3000.0 / 20.0).ln();
        let gamma = Width::Proved { delta: 0.05 }.gamma(&benchmark(3000, log_det));
        let by_hand =
            16.0 * 3.39055 / 0.196612 * 9.30159 + 1.0 + 2.0 * 3.39055 / 0.196612 * log_det + 0.098306;
        assert!((gamma - by_hand).abs() < 0.02, "{gamma} {by_hand}");
    }

    #[test]
    fn the_tightened_width_is_its_formula() {
        let inputs = WidthInputs { squared_norms: 700.0, gradients: 40.0, ..benchmark(3000, 20.0) };
        let gamma = Width::Tightened { delta: 0.05 }.gamma(&inputs);
        let by_hand = 1.0 + 0.098306 + 1.0 / 0.196612 * (100.0 * 2801.0_f64.sqrt()).ln() + 40.0;
        assert!((gamma - by_hand).abs() < 1e-3, "{gamma} {by_hand}");
    }

    #[test]
    fn the_tuned_width_starts_at_zero() {
        assert_eq!(Width::Tuned { c: 0.1 }.gamma(&benchmark(0, 0.0)), 0.0);
        assert_eq!(Width::Tuned { c: 0.1 }.gamma(&benchmark(9, 7.0)), 0.1 * 7.0);
    }

    #[test]
    fn impossible_widths_are_refused() {
        for delta in [0.0, 1.0, -0.1, f64::NAN] {
            assert!(matches!(Width::Proved { delta }.check(), Err(Error::Delta { .. })));
            assert!(matches!(Width::Tightened { delta }.check(), Err(Error::Delta { .. })));
        }
        for c in [-1e-9, f64::NAN, f64::INFINITY] {
            assert!(matches!(Width::Tuned { c }.check(), Err(Error::WidthFactor { .. })));
        }
        assert!(Width::Tuned { c: 0.0 }.check().is_ok());
    }
}
