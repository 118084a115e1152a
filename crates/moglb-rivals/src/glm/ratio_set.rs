//! An ellipsoid that contains the likelihood-ratio set of OFUGLB, from counts and means on fixed arms.
//!
//! With θ̂ in the ball ‖θ‖ ≤ S and C_t as in [`ofu_glb`](super::ofu_glb), every θ in C_t satisfies
//!
//! ```text
//! ½‖θ − θ̂‖²_G ≤ L_t(θ) − L_t(θ̂) − ∇L_t(θ̂)ᵀ(θ − θ̂) ≤ β_t + ε,        ε = S‖∇L_t(θ̂)‖ + ∇L_t(θ̂)ᵀθ̂
//! ```
//!
//! where G = Σ n·w·xxᵀ, and w is the least curvature of a record's loss between xᵀθ̂ and xᵀθ. At the
//! exact minimum ε = 0. With ε the bound holds for any θ̂, however well it was found.
//!
//! The ellipsoid itself bounds the distance of xᵀθ from xᵀθ̂. A smaller distance gives a larger G and so
//! a smaller ellipsoid. A few repetitions bring the factor between L_t and its quadratic model to about
//! one.

use crate::glm::glm_target::GlmTarget;
use crate::glm::likelihood::{self, Law, factored};
use crate::glm::ofu_glb::{beta, steepest_slope};
use crate::glm::records::{Record, Records};
use crate::ridge::dot;
use moglb_core::{Link, Problem};
use moglb_math::Error;
use moglb_math::dense::add_square;

/// The number of times that the ellipsoid is shrunk with its own bounds on xᵀθ.
const PASSES: usize = 5;

/// The share of the squared radius that a ridge adds. The ridge bounds the ellipsoid in directions in
/// which nothing was played.
const RIDGE: f64 = 0.01;

/// The likelihood-ratio set of one objective.
#[derive(Debug, Clone)]
pub struct RatioSet {
    model: GlmTarget,
    /// The largest slope of the loss of one reward, on [−S, S].
    steepest: f64,
    /// The failure probability of this set.
    delta: f64,
}

/// The ellipsoid {θ : ‖θ − θ̂‖_A ≤ r}.
#[derive(Debug, Clone)]
pub struct Ellipsoid {
    /// θ̂, in the orientation in which larger is better.
    pub theta: Vec<f64>,
    /// The factor U with UᵀU = A, by rows of d.
    factor: Vec<f64>,
    /// r.
    pub radius: f64,
}

impl RatioSet {
    /// Creates the sets of all objectives. They hold together with probability 1 − δ.
    ///
    /// # Errors
    ///
    /// [`Error::Parameters`] if the link of an objective, or its range of rewards, is one for which the
    /// set is not proved.
    pub fn all(problem: &Problem, delta: f64) -> Result<Vec<Self>, Error> {
        let delta = delta / problem.n_objectives() as f64;
        let set = |model: GlmTarget| {
            let (low, high) = model.objective().rewards();
            let proved = match model.link() {
                // exp(−ℓ) is convex in the reward, so rewards between 0 and 1 are bounded by one-bit rewards.
                Link::Logit | Link::Probit => low >= 0.0 && high <= 1.0,
                // Rewards in an interval of length 2 are 1-sub-Gaussian.
                Link::Identity => high - low <= 2.0,
                Link::Log | Link::Custom(_) => false,
            };
            if !proved {
                return Err(Error::Parameters {
                    what: "likelihood ratios are proved for logit and probit with rewards in [0, 1] and for \
                           identity with rewards in an interval of length 2",
                });
            }
            Ok(Self { steepest: steepest_slope(&model)?, model, delta })
        };
        GlmTarget::all(problem)?.into_iter().map(set).collect()
    }

    /// Returns the ellipsoid around C_t. The search for θ̂ begins at `start`, a point of the ball.
    pub fn ellipsoid<'a>(&self, start: &[f64], played: impl Iterator<Item = Record<'a>>) -> Ellipsoid {
        let (dim, radius) = (start.len(), self.model.radius);
        let records = Records::gathered(dim, played);
        let rounds: f64 = records.iter().map(|record| record.count).sum();
        let problem = likelihood::Problem {
            model: &self.model,
            records: &records,
            law: Law::True,
            ridge: 0.0,
            tilt: None,
            ball: Some(radius),
        };
        let library = "a link of the library returns finite numbers";
        let theta = problem.minimize(start).expect(library);
        let gradient = problem.local(&theta).expect(library).gradient;
        let short = radius * dot(&gradient, &gradient).sqrt() + dot(&gradient, &theta);
        let half = beta(dim, radius, self.steepest * rounds, self.delta) + short.max(0.0);
        self.shrunk(theta, &records, half)
    }

    /// Returns an ellipsoid around {θ : ½‖θ − θ̂‖²_G ≤ half} in the ball, shrunk with its own bounds on xᵀθ.
    fn shrunk(&self, theta: Vec<f64>, records: &Records, half: f64) -> Ellipsoid {
        let (dim, diameter) = (theta.len(), 2.0 * self.model.radius);
        let ridge = 2.0 * RIDGE * half / (diameter * diameter);
        let radius = (2.0 * half * (1.0 + RIDGE)).sqrt();
        let mut reach: Vec<f64> = records.iter().map(|_| diameter).collect();
        let mut ellipsoid = Ellipsoid { theta, factor: Vec::new(), radius };
        for _ in 0..PASSES {
            let mut a = vec![0.0; dim * dim];
            (0..dim).for_each(|k| a[k * dim + k] = ridge);
            for (Record { x, count, mean }, reach) in records.iter().zip(&reach) {
                let weight = self.least_weight(dot(&ellipsoid.theta, x), *reach, mean);
                add_square(&mut a, count * weight, x);
            }
            ellipsoid.factor = factored(&a, dim).expect("the ridge keeps A positive definite").0;
            for (Record { x, .. }, reach) in records.iter().zip(&mut reach) {
                let image = ellipsoid.image(x);
                *reach = reach.min(radius * dot(&image, &image).sqrt());
            }
        }
        ellipsoid
    }

    /// Returns the least curvature of the loss of rewards with this mean, at most `reach` away from z and
    /// in [−S, S].
    fn least_weight(&self, z: f64, reach: f64, mean: f64) -> f64 {
        let (outer, radius) = (self.model.objective().sign() * z, self.model.radius);
        let (low, high) = ((outer - reach).max(-radius), (outer + reach).min(radius));
        match self.model.link() {
            // The curvature of −log Φ decreases in z. The loss is a mixture of −log Φ and its mirror image.
            Link::Probit => mean * curvature(high) + (1.0 - mean) * curvature(-low),
            // μ′ of logit decreases on either side of zero, and μ′ of identity is one.
            link => link.slope(low).min(link.slope(high)),
        }
    }
}

impl Ellipsoid {
    /// Returns U⁻ᵀx, a vector of length ‖x‖_{A⁻¹}.
    pub fn image(&self, x: &[f64]) -> Vec<f64> {
        let (dim, mut image) = (x.len(), x.to_vec());
        for i in 0..dim {
            image[i] /= self.factor[i * dim + i];
            let by = image[i];
            moglb_math::dense::add(&mut image[i + 1..], -by, &self.factor[i * dim + i + 1..(i + 1) * dim]);
        }
        image
    }
}

/// Returns the second derivative of −log Φ, h(h + z) with h = φ/Φ.
fn curvature(z: f64) -> f64 {
    let hazard = -Link::Probit.fisher(z, 1.0).score;
    hazard * (hazard + z)
}

#[cfg(test)]
mod tests {
    use super::*;
    use moglb_core::Objective;
    use moglb_math::draw;

    fn played(contexts: &[Vec<f64>], link: Link, count: f64) -> Vec<(f64, f64)> {
        contexts.iter().map(|x| (count, link.mean(0.5 * x[0] - 0.3 * x[1]))).collect()
    }

    /// Every θ of the likelihood-ratio set is in the ellipsoid. The test goes from θ̂ in random
    /// directions to the edge of the set, by bisection.
    #[test]
    fn the_ellipsoid_holds_the_likelihood_ratio_set() {
        let mut rng = draw::seeded(3);
        for (link, count) in
            [(Link::Logit, 40.0), (Link::Probit, 40.0), (Link::Identity, 9.0), (Link::Logit, 1e4)]
        {
            let problem = Problem::new(2, vec![Objective::new("y", link)]).unwrap();
            let set = &RatioSet::all(&problem, 0.05).unwrap()[0];
            let contexts: Vec<Vec<f64>> =
                (0..6).map(|_| (0..2).map(|_| draw::normal(&mut rng).clamp(-0.7, 0.7)).collect()).collect();
            let data = played(&contexts, link, count);
            let rows = || contexts.iter().zip(&data).map(|(x, &(count, mean))| Record { x, count, mean });
            let ellipsoid = set.ellipsoid(&[0.0; 2], rows());
            let loss = |theta: &[f64]| -> f64 {
                rows().map(|r| r.count * set.model.loss(Law::True, dot(theta, r.x), r.mean)).sum()
            };
            let (least, beta) = (loss(&ellipsoid.theta), beta(2, 1.0, set.steepest * 6.0 * count, 0.05));
            let (mut inside, mut furthest) = (0, 0.0_f64);
            for _ in 0..2000 {
                let step: Vec<f64> = (0..2).map(|_| draw::normal(&mut rng)).collect();
                // The edge of the set in a random direction, where β or the ball ends it.
                let (mut low, mut high) = (0.0, 4.0);
                let at = |share: f64| -> Vec<f64> {
                    ellipsoid.theta.iter().zip(&step).map(|(theta, step)| theta + share * step).collect()
                };
                for _ in 0..50 {
                    let middle = 0.5 * (low + high);
                    let theta = at(middle);
                    let fine = dot(&theta, &theta) <= 1.0 && loss(&theta) - least <= beta;
                    if fine { low = middle } else { high = middle }
                }
                let difference = [low * step[0], low * step[1]];
                // ‖u‖_A = ‖Uu‖.
                let image: Vec<f64> = (0..2)
                    .map(|i| (i..2).map(|j| ellipsoid.factor[i * 2 + j] * difference[j]).sum())
                    .collect();
                let share = dot(&image, &image).sqrt() / ellipsoid.radius;
                furthest = furthest.max(share);
                inside += usize::from(share <= 1.0);
            }
            assert_eq!(inside, 2000, "{link:?}: up to {furthest} of the radius");
            assert!(count < 1e4 || furthest > 0.9, "with many rewards it is tight: {furthest}");
        }
    }

    #[test]
    fn links_without_their_likelihood_are_refused() {
        let wide = Objective::new("y", Link::Identity).range(0.0, 3.0);
        for objective in
            [Objective::new("y", Link::Log), wide, Objective::new("y", Link::Logit).range(0.0, 2.0)]
        {
            let problem = Problem::new(2, vec![objective]).unwrap();
            assert!(matches!(RatioSet::all(&problem, 0.05), Err(Error::Parameters { .. })));
        }
    }
}
