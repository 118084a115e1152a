//! Maximum likelihood estimates from the counts and means of a round.

use super::design::{Span, add_square};
use super::round::SampledArms;
use moglb_core::{Fisher, Link, Objective};
use moglb_math::{Error, Matrix, dense};

/// The estimated mean of each active arm (rows) in each objective (columns), on the unit scale, from the
/// samples of one round. Coefficients are maximum likelihood estimates in the coordinates of the span; for an
/// identity link that is least squares.
pub(super) fn means(span: &Span, active: &[usize], round: &SampledArms) -> Matrix {
    let radius = round.problem().radius();
    let mut means = Matrix::default();
    means.reshape(active.len(), round.problem().n_objectives());
    for (i, objective) in round.problem().objectives().iter().enumerate() {
        let seen: Vec<Seen> = (0..active.len())
            .filter(|&k| round.count(active[k]) > 0)
            .map(|k| Seen {
                x: span.coordinates.row(k),
                count: round.count(active[k]) as f64,
                mean: objective.from_unit(round.mean(active[k])[i]),
            })
            .collect();
        let coefficients = coefficients(objective, &seen, span.dim(), radius);
        for (k, x) in span.coordinates.rows().enumerate() {
            // The true score has |θᵀx| ≤ D, so clamping an estimate to that range can only bring it closer.
            let score = objective.sign() * dot(x, &coefficients).clamp(-radius, radius);
            means.row_mut(k)[i] = objective.unit_reward(objective.link.mean(score));
        }
    }
    means
}

/// A sampled context: its coordinates, its number of samples and its mean reward.
struct Seen<'a> {
    x: &'a [f64],
    count: f64,
    mean: f64,
}

/// The most Newton steps, far more than are needed if there is a maximum.
const MOST_STEPS: usize = 60;

/// Maximizes the log-likelihood by Newton's method, with steps that move no score by more than D. If rewards
/// are all zeros or all ones there is no maximum, and the result of the last step is good enough. The
/// derivative of the log-likelihood is linear in the reward, so counts and means are sufficient.
fn coefficients(objective: &Objective, seen: &[Seen<'_>], h: usize, radius: f64) -> Vec<f64> {
    let mut phi = vec![0.0; h];
    for _ in 0..MOST_STEPS {
        let Some(mut by) = newton_step(objective, seen, &phi) else { break };
        let moved = seen.iter().map(|one| dot(one.x, &by).abs()).fold(0.0, f64::max);
        if objective.link != Link::Identity && moved > radius {
            by.iter_mut().for_each(|entry| *entry *= radius / moved);
        }
        dense::add(&mut phi, 1.0, &by);
        if moved <= 1e-12 * radius {
            break;
        }
    }
    phi
}

/// The step −H⁻¹g; none if the numbers overflow or H is not positive definite.
fn newton_step(objective: &Objective, seen: &[Seen<'_>], phi: &[f64]) -> Option<Vec<f64>> {
    let h = phi.len();
    let (mut gradient, mut hessian) = (vec![0.0; h], vec![0.0; h * h]);
    for one in seen {
        let fisher: Result<Fisher, Error> = objective.inner_fisher(dot(one.x, phi), one.mean);
        let Fisher { score, weight } = fisher.ok()?;
        dense::add(&mut gradient, -one.count * score, one.x);
        add_square(&mut hessian, one.x, one.count * weight);
    }
    if !dense::factor(&mut hessian, h, 0.0) {
        return None;
    }
    let (mut inverse, mut turned, mut product, mut step) =
        (vec![0.0; h * h], vec![0.0; h * h], vec![0.0; h], vec![0.0; h]);
    dense::invert(&hessian, &mut inverse, h);
    dense::transpose(&inverse, &mut turned, h);
    // H⁻¹ = WWᵀ with W = U⁻¹.
    dense::combine(&inverse, &gradient, &mut product);
    dense::combine(&turned, &product, &mut step);
    step.iter().all(|entry| entry.is_finite()).then_some(step)
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use moglb_math::{Matrix, draw};

    /// Oracle 19: at the maximum the slope of the likelihood vanishes.
    #[test]
    fn the_score_vanishes_at_the_estimate() {
        let mut rng = draw::seeded(71);
        let x = Matrix::new(3, (0..24).map(|_| draw::normal(&mut rng) / 3.0).collect()).unwrap();
        for link in Link::ALL {
            for objective in [Objective::new("y", link), Objective::new("y", link).minimize()] {
                let (low, high) = objective.rewards();
                let mean = |u: f64| low + (high - low) * (0.2 + 0.6 * u);
                let seen: Vec<Seen> = x
                    .rows()
                    .enumerate()
                    .map(|(k, x)| Seen { x, count: 10.0 + k as f64, mean: mean(draw::unit(&mut rng)) })
                    .collect();
                let phi = coefficients(&objective, &seen, 3, 1.0);
                let mut gradient = vec![0.0; 3];
                for one in &seen {
                    let score = objective.inner_fisher(dot(one.x, &phi), one.mean).unwrap().score;
                    dense::add(&mut gradient, one.count * score, one.x);
                }
                let largest = gradient.iter().fold(0.0, |most: f64, g| most.max(g.abs()));
                assert!(largest < 1e-8, "{}: {largest}", link.name());
            }
        }
    }

    /// With orthonormal contexts no arm influences the estimate of another.
    #[test]
    fn estimates_of_orthonormal_contexts_are_the_means_of_each_arm() {
        let contexts = [[0.6, 0.8, 0.0], [-0.8, 0.6, 0.0], [0.0, 0.0, 1.0]];
        let arms = moglb_core::ArmSet::from_rows(&contexts).unwrap();
        for link in [Link::Identity, Link::Logit] {
            let problem =
                moglb_core::Problem::new(3, vec![Objective::new("y", link).range(0.0, 1.0)]).unwrap();
            let mut round = SampledArms::new(problem.with_arms(3).unwrap(), "test").unwrap();
            round.begin_afresh(
                [5, 7, 11].iter().enumerate().map(|(arm, &times)| (moglb_pareto::ArmId(arm), times)),
            );
            let mut rng = draw::seeded(72);
            while let Some(arm) = round.next_arm() {
                round.learn(arms.arm(arm), &[0.4 + 0.2 * draw::unit(&mut rng)]).unwrap();
            }
            let span = Span::new((&Matrix::from_rows(&contexts).unwrap()).into());
            let means = means(&span, &[0, 1, 2], &round);
            for arm in 0..3 {
                assert!((means.row(arm)[0] - round.mean(arm)[0]).abs() < 1e-12, "{}", link.name());
            }
        }
    }

    #[test]
    fn without_a_maximum_the_estimate_is_a_number_on_the_right_side() {
        for link in [Link::Logit, Link::Probit] {
            let seen = [Seen { x: &[1.0], count: 50.0, mean: 1.0 }];
            let phi = coefficients(&Objective::new("y", link), &seen, 1, 1.0);
            assert!(phi[0].is_finite() && phi[0] > 1.0, "{}: {phi:?}", link.name());
        }
    }
}
