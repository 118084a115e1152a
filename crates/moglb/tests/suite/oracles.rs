//! The paper's identities and inequalities, by the numbers of the oracle list: Gram matrix, losses,
//! projection.

use crate::common::{ball, close, dense, direction, dot, norm, uniform, vector};
use moglb::{Gram, Link, Rng, draw, project};

/// A random history: the contexts of a run of `rounds`, some of them repeated, zero or tiny.
fn history(dim: usize, rounds: usize, rng: &mut dyn Rng) -> Vec<Vec<f64>> {
    let favorite = direction(dim, rng);
    let context = |_| match draw::below(6, rng) {
        0 => vec![0.0; dim],
        1 => direction(dim, rng).iter().map(|x| 1e-8 * x).collect(),
        2 | 3 => favorite.clone(),
        _ => ball(dim, 1.0, rng),
    };
    (0..rounds).map(context).collect()
}

/// Calls `law` with (d, κ, λ, contexts) for a spread of sizes.
fn over_histories(law: impl Fn(usize, f64, f64, &[Vec<f64>])) {
    let mut rng = draw::seeded(101);
    for dim in [1, 2, 5, 9, 16] {
        for kappa in [0.0183, 0.196612, 1.0] {
            for lambda in [1.0, 3.0] {
                law(dim, kappa, lambda, &history(dim, 200, &mut rng));
            }
        }
    }
}

/// log det by a new Cholesky factorization.
fn fresh_log_det(z: &Gram) -> f64 {
    let factor = dense(z).cholesky().expect("positive definite").unpack();
    factor.diagonal().iter().map(|l| 2.0 * l.ln()).sum::<f64>() - z.dim() as f64 * z.lambda().ln()
}

/// Oracle 1: log det Z_{t+1} = log det Z_t + log(1 + (κ/2)‖x_t‖²_{Z_t⁻¹}), and both agree with a new Cholesky
/// factorization.
#[test]
fn the_log_determinant_grows_by_the_matrix_determinant_lemma() {
    over_histories(|dim, kappa, lambda, contexts| {
        let mut z = Gram::new(dim, lambda, kappa / 2.0);
        for x in contexts {
            let predicted = z.log_det_ratio() + (kappa / 2.0 * z.squared_norm_inv(x)).ln_1p();
            z.add(x);
            let got = z.log_det_ratio();
            assert!(close(got, predicted, 1e-12), "d = {dim}: {got} for {predicted}");
            let fresh = fresh_log_det(&z);
            assert!(close(got, fresh, 1e-10), "d = {dim}: {got}, fresh {fresh}");
        }
    });
}

/// Oracle 2: Corollary 1, with the realized norms and without.
#[test]
fn the_log_determinant_stays_below_corollary_1() {
    over_histories(|dim, kappa, lambda, contexts| {
        let (mut z, d) = (Gram::new(dim, lambda, kappa / 2.0), dim as f64);
        let mut squares = 0.0;
        for (t, x) in contexts.iter().enumerate() {
            z.add(x);
            squares += dot(x, x);
            let realized = d * (kappa / 2.0 * squares / (lambda * d)).ln_1p();
            let bound = d * (kappa * (t + 1) as f64 / (2.0 * lambda * d)).ln_1p();
            let got = z.log_det_ratio();
            assert!(got <= realized + 1e-12, "d = {dim}, t = {}: {got} above {realized}", t + 1);
            assert!(realized <= bound + 1e-12, "{realized} above {bound}");
        }
    });
}

/// Oracle 3: (κ/2)‖x_s‖²_{Z_{s+1}⁻¹} = 1 − det Z_s / det Z_{s+1} ≤ log(det Z_{s+1} / det Z_s), and the sum
/// telescopes.
#[test]
fn the_inequality_of_hazan_holds_with_its_exact_form() {
    over_histories(|dim, kappa, lambda, contexts| {
        let mut z = Gram::new(dim, lambda, kappa / 2.0);
        let (mut left, mut logs) = (0.0, 0.0);
        for x in contexts {
            let before = z.log_det_ratio();
            z.add(x);
            let log_ratio = z.log_det_ratio() - before;
            let term = kappa / 2.0 * z.squared_norm_inv(x);
            assert!(close(term, -(-log_ratio).exp_m1(), 1e-12), "{term} {log_ratio}");
            assert!(term <= log_ratio + 1e-14, "{term} above {log_ratio}");
            left += term;
            logs += log_ratio;
        }
        let total = z.log_det_ratio();
        assert!(close(logs, total, 1e-12), "{logs} {total}");
        assert!(left <= total, "d = {dim}: {left} above {total}");
    });
}

/// Both sides of the elliptical potential bound Σ‖x_t‖²_{Z_t⁻¹} ≤ (4/κ) log det.
fn potential(dim: usize, kappa: f64, lambda: f64, contexts: &[Vec<f64>]) -> (f64, f64) {
    let mut z = Gram::new(dim, lambda, kappa / 2.0);
    let mut sum = 0.0;
    for x in contexts {
        sum += z.squared_norm_inv(x);
        z.add(x);
    }
    (sum, 4.0 / kappa * z.log_det_ratio())
}

/// Oracle 4: the elliptical potential bound.
#[test]
fn the_elliptical_potential_is_bounded() {
    over_histories(|dim, kappa, lambda, contexts| {
        let (sum, bound) = potential(dim, kappa, lambda, contexts);
        assert!(sum <= bound, "d = {dim}, κ = {kappa}, λ = {lambda}: {sum} above {bound}");
    });
}

/// Oracle 4, negative: with λ far below κ/2 a term exceeds twice its logarithm, and the bound must fail.
#[test]
fn the_elliptical_potential_breaks_for_a_small_lambda() {
    let mut rng = draw::seeded(102);
    for dim in [1, 2, 5] {
        let contexts: Vec<Vec<f64>> = (0..dim).map(|_| direction(dim, &mut rng)).collect();
        let (sum, bound) = potential(dim, 1.0, 1e-4, &contexts);
        assert!(sum > bound, "d = {dim}: {sum} is not above {bound}, so oracle 4 could not fail");
        let (sum, bound) = potential(dim, 1.0, 0.5, &contexts);
        assert!(sum <= bound, "λ = κ/2 is enough: {sum} above {bound}");
    }
}

/// Oracle 5: ‖x‖²_{Z_{t+1}⁻¹} = q / (1 + (κ/2) q) for the x that was added, q = ‖x‖²_{Z_t⁻¹}.
#[test]
fn an_added_context_shrinks_by_sherman_and_morrison() {
    over_histories(|dim, kappa, lambda, contexts| {
        let mut z = Gram::new(dim, lambda, kappa / 2.0);
        for x in contexts {
            let q = z.squared_norm_inv(x);
            z.add(x);
            let (got, expected) = (z.squared_norm_inv(x), q / (1.0 + kappa / 2.0 * q));
            assert!((got - expected).abs() <= 1e-12 * expected, "d = {dim}: {got} for {expected}");
        }
    });
}

/// ℓ(θ) = −y θᵀx + g(θᵀx).
fn loss(link: Link, y: f64, z: f64) -> f64 {
    -y * z + link.cumulant(z)
}

/// Oracle 6: Lemma 1, strong convexity of the surrogate loss on the ball, for every link.
#[test]
fn lemma_1_the_surrogate_loss_is_strongly_convex() {
    let mut rng = draw::seeded(106);
    for link in Link::ALL {
        for round in 0..20_000 {
            let radius = [0.5, 1.0, 2.0][round % 3];
            let kappa = link.constants(radius).kappa;
            let x = ball(3, 1.0, &mut rng);
            let (u, v) = (dot(&ball(3, radius, &mut rng), &x), dot(&ball(3, radius, &mut rng), &x));
            let y = uniform(-1.0, 2.0, &mut rng);
            let left = loss(link, y, u) - loss(link, y, v);
            let right = (link.mean(v) - y) * (u - v) + kappa / 2.0 * (u - v) * (u - v);
            assert!(left >= right - 1e-12, "{}: {left} below {right}", link.name());
        }
    }
}

/// Oracle 7: Lemma 2, the truth minimizes the expected loss; and g′ = μ, g″ = μ′ by differences.
#[test]
fn lemma_2_the_truth_minimizes_the_expected_loss() {
    let mut rng = draw::seeded(107);
    for link in Link::ALL {
        for _ in 0..20_000 {
            let (truth, other) = (uniform(-2.0, 2.0, &mut rng), uniform(-2.0, 2.0, &mut rng));
            let y = link.mean(truth);
            let excess = loss(link, y, other) - loss(link, y, truth);
            assert!(excess >= -1e-13, "{}: {excess} at {other} for {truth}", link.name());
            let h = 1e-5;
            let first = (link.cumulant(other + h) - link.cumulant(other - h)) / (2.0 * h);
            assert!(close(first, link.mean(other), 1e-8), "{}: g′({other}) = {first}", link.name());
            let second = (link.mean(other + h) - link.mean(other - h)) / (2.0 * h);
            assert!(close(second, link.slope(other), 1e-8), "{}: μ′({other}) = {second}", link.name());
        }
    }
}

/// One update in the terms of Lemma 3.
struct Step {
    z: Gram,
    before: Vec<f64>,
    gradient: Vec<f64>,
    /// The estimate before the projection.
    unprojected: Vec<f64>,
    comparator: Vec<f64>,
}

/// An update for a Z with a large condition, with a comparator from the ball or its surface.
fn step(rng: &mut dyn Rng) -> Step {
    let dim = 2 + draw::below(5, rng);
    let mut z = Gram::new(dim, 1.0, 0.5);
    let favorite = direction(dim, rng);
    for _ in 0..draw::below(40, rng) {
        z.add(&favorite);
    }
    for _ in 0..draw::below(10, rng) {
        z.add(&ball(dim, 1.0, rng));
    }
    let x = direction(dim, rng);
    z.add(&x);
    let before = ball(dim, 1.0, rng);
    let residual = uniform(-2.0, 2.0, rng);
    let gradient: Vec<f64> = x.iter().map(|x| residual * x).collect();
    let unprojected = before.iter().zip(z.solve(&gradient)).map(|(b, g)| b - g).collect();
    let comparator = if draw::below(2, rng) == 0 { ball(dim, 1.0, rng) } else { direction(dim, rng) };
    Step { z, before, gradient, unprojected, comparator }
}

/// The right side of Lemma 3 minus its left side, for an estimate after the step.
fn slack(step: &Step, after: &[f64]) -> f64 {
    let difference = |a: &[f64]| -> Vec<f64> { a.iter().zip(&step.comparator).map(|(a, c)| a - c).collect() };
    let (old, new) = (difference(&step.before), difference(after));
    let left = dot(&step.gradient, &old) - 0.5 * step.z.squared_norm_inv(&step.gradient);
    0.5 * (step.z.squared_norm(&old) - step.z.squared_norm(&new)) - left
}

/// Oracle 8: Lemma 3 for every comparator in the ball, with equality if there is no projection. The negative
/// control is radial rescaling, the classic mistake: it must violate the lemma.
#[test]
fn lemma_3_holds_for_the_projection_and_not_for_rescaling() {
    let mut rng = draw::seeded(108);
    let (mut projected, mut radial_failures) = (0, 0);
    for _ in 0..40_000 {
        let step = step(&mut rng);
        let length = norm(&step.unprojected);
        let after = project(&step.unprojected, &step.z, 1.0).unwrap();
        let got = slack(&step, &after);
        assert!(got >= -1e-10, "slack {got} after a projection of ‖u‖ = {length}");
        if length <= 1.0 {
            assert!(got.abs() < 1e-10, "slack {got} without a projection");
            continue;
        }
        projected += 1;
        let radial: Vec<f64> = step.unprojected.iter().map(|x| x / length).collect();
        radial_failures += u32::from(slack(&step, &radial) < -1e-9);
    }
    assert!(projected >= 20_000 / 4, "only {projected} projections in 40 000 draws");
    assert!(
        radial_failures >= 100,
        "rescaling broke Lemma 3 in {radial_failures} of {projected} projections"
    );
}

/// Oracle 9: the conditions of Karush, Kuhn and Tucker for a Z with a large condition. `laws_projection.rs`
/// has stricter tests.
#[test]
fn the_projection_satisfies_its_optimality_conditions() {
    let mut rng = draw::seeded(109);
    let mut active = 0;
    for _ in 0..2_000 {
        let Step { z, unprojected: u, comparator, .. } = step(&mut rng);
        let v = project(&u, &z, 1.0).unwrap();
        let pull = dense(&z) * (vector(&u) - vector(&v));
        if norm(&u) <= 1.0 {
            assert!(pull.norm() < 1e-12, "a point of the ball moved by {}", pull.norm());
            continue;
        }
        active += 1;
        assert!((norm(&v) - 1.0).abs() < 1e-14);
        let nu = pull.dot(&vector(&v));
        assert!(nu >= 0.0, "ν = {nu}");
        let rest = (&pull - vector(&v) * nu).norm();
        assert!(rest < 1e-11 * (1.0 + nu), "Z(u − v) is not ν v: {rest} at ν = {nu}");
        let variation = pull.dot(&(vector(&comparator) - vector(&v)));
        assert!(variation <= 1e-11 * (1.0 + nu), "(w − v)ᵀZ(u − v) = {variation}");
    }
    assert!(active > 300, "only {active} projections");
}
