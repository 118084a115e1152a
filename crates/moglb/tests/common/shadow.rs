//! A shadow of the learned state in twice the precision, which measures how far rounding moves the real
//! state.
//!
//! Every round, the shadow adds the context to a Z that is stored as unevaluated sums of two doubles (about
//! 32 digits), factors it from scratch, and takes the step of Eq. (1) with that factor. Only the sum is
//! updated from round to round.

use moglb::{
    Arm, ArmId, ArmSet, Link, MoglbUcb, MoglbUcbConfig, Objective, Policy, Problem, Restorable, Width, draw,
};

/// A number as an unevaluated sum high + low, |low| ≤ ulp(high)/2 (Dekker, Knuth).
#[derive(Clone, Copy, Debug, Default)]
pub struct Double {
    high: f64,
    low: f64,
}

impl Double {
    pub fn new(high: f64) -> Self {
        Self { high, low: 0.0 }
    }

    fn sum(a: f64, b: f64) -> Self {
        let high = a + b;
        let t = high - a;
        Self { high, low: (a - (high - t)) + (b - t) }
    }

    fn add(self, other: Self) -> Self {
        let s = Self::sum(self.high, other.high);
        Self::sum(s.high, s.low + self.low + other.low)
    }

    fn sub(self, other: Self) -> Self {
        self.add(Self { high: -other.high, low: -other.low })
    }

    fn mul(self, other: Self) -> Self {
        let high = self.high * other.high;
        let low = self.high.mul_add(other.high, -high) + self.high * other.low + self.low * other.high;
        Self::sum(high, low)
    }

    fn div(self, other: Self) -> Self {
        let first = self.high / other.high;
        let rest = self.sub(other.mul(Self::new(first)));
        Self::sum(first, rest.high / other.high)
    }

    fn sqrt(self) -> Self {
        let first = self.high.sqrt();
        let rest = self.sub(Self::new(first).mul(Self::new(first)));
        Self::sum(first, rest.high / (2.0 * first))
    }

    pub fn value(self) -> f64 {
        self.high + self.low
    }
}

/// The dot product Σ aᵢbᵢ.
fn inner(a: &[Double], b: &[Double]) -> Double {
    a.iter().zip(b).fold(Double::default(), |sum, (&a, &b)| sum.add(a.mul(b)))
}

/// The Cholesky factor of a symmetric matrix, by rows of length d, computed from scratch.
fn factor(z: &[Double], d: usize) -> Vec<Double> {
    let mut factor = vec![Double::default(); d * d];
    for i in 0..d {
        for k in 0..=i {
            let known = inner(&factor[i * d..i * d + k], &factor[k * d..k * d + k]);
            let rest = z[i * d + k].sub(known);
            factor[i * d + k] = if i == k { rest.sqrt() } else { rest.div(factor[k * d + k]) };
        }
    }
    factor
}

/// Solves with the factor: L⁻¹x.
fn lower(factor: &[Double], x: &[Double]) -> Vec<Double> {
    let d = x.len();
    let mut y: Vec<Double> = Vec::with_capacity(d);
    for i in 0..d {
        let rest = x[i].sub(inner(&factor[i * d..i * d + i], &y));
        y.push(rest.div(factor[i * d + i]));
    }
    y
}

/// Solves with the matrix: (LLᵀ)⁻¹x.
fn solve(factor: &[Double], x: &[Double]) -> Vec<Double> {
    let (d, mut y) = (x.len(), lower(factor, x));
    for i in (0..d).rev() {
        let rest = (i + 1..d).fold(y[i], |rest, k| rest.sub(factor[k * d + i].mul(y[k])));
        y[i] = rest.div(factor[i * d + i]);
    }
    y
}

/// The projection of u, by Newton's method on (Z + νI)v = Zu with ‖v‖ = D (Moré and Sorensen).
fn project(u: &[Double], z: &[Double], radius: f64) -> Vec<Double> {
    let d = u.len();
    let right: Vec<Double> = (0..d).map(|i| inner(&z[i * d..(i + 1) * d], u)).collect();
    let (mut nu, radius) = (Double::default(), Double::new(radius));
    for _ in 0..50 {
        let mut shifted = z.to_vec();
        (0..d).for_each(|k| shifted[k * d + k] = shifted[k * d + k].add(nu));
        let factor = factor(&shifted, d);
        let v = solve(&factor, &right);
        let size = inner(&v, &v).sqrt();
        let beyond = size.sub(radius).div(radius);
        if beyond.value().abs() < 1e-27 {
            return v;
        }
        let q = lower(&factor, &v);
        nu = nu.add(inner(&v, &v).div(inner(&q, &q)).mul(beyond));
    }
    panic!("the secular equation was not solved")
}

/// The reference state: Z, its fresh factor and the estimates.
struct Shadow {
    dim: usize,
    weight: f64,
    lambda: f64,
    z: Vec<Double>,
    factor: Vec<Double>,
    thetas: Vec<Vec<Double>>,
}

impl Shadow {
    fn new(dim: usize, lambda: f64, weight: f64, objectives: usize) -> Self {
        let entry = |n: usize| Double::new(if n.is_multiple_of(dim + 1) { lambda } else { 0.0 });
        let z: Vec<Double> = (0..dim * dim).map(entry).collect();
        let thetas = vec![vec![Double::default(); dim]; objectives];
        Self { dim, weight, lambda, factor: factor(&z, dim), z, thetas }
    }

    fn log_det(&self) -> f64 {
        let pivot = |k: usize| self.factor[k * (self.dim + 1)].value();
        (0..self.dim).map(|k| (pivot(k).powi(2) / self.lambda).ln()).sum()
    }

    fn norm_inv(&self, x: &[f64]) -> f64 {
        let y = lower(&self.factor, &doubles(x));
        inner(&y, &y).value().sqrt()
    }

    fn learn(&mut self, x: &[f64], reward: &[f64], links: &[Link], radius: f64) {
        let (d, x) = (self.dim, doubles(x));
        for i in 0..d {
            for k in 0..d {
                let product = x[i].mul(x[k]).mul(Double::new(self.weight));
                self.z[i * d + k] = self.z[i * d + k].add(product);
            }
        }
        self.factor = factor(&self.z, d);
        let direction = solve(&self.factor, &x);
        for ((theta, &link), &y) in self.thetas.iter_mut().zip(links).zip(reward) {
            let slope = Double::new(link.mean(inner(theta, &x).value()) - y);
            for (theta, &step) in theta.iter_mut().zip(&direction) {
                *theta = theta.sub(slope.mul(step));
            }
            if inner(theta, theta).value().sqrt() > radius {
                *theta = project(theta, &self.z, radius);
            }
        }
    }
}

fn doubles(x: &[f64]) -> Vec<Double> {
    x.iter().map(|&x| Double::new(x)).collect()
}

/// The largest relative errors observed, and the size of the state early and late.
#[derive(Debug, Default, Clone, Copy)]
pub struct Drift {
    pub width: f64,
    pub log_det: f64,
    pub estimate: [f64; 3],
    pub projections: u64,
    /// The memory of the learned state in bytes: eight times its count of numbers.
    pub early_bytes: usize,
    pub late_bytes: usize,
    /// The length of the binary snapshot. Round counters are integers of variable length in it.
    pub early_snapshot: usize,
    pub late_snapshot: usize,
}

impl Drift {
    pub fn worst(&self) -> f64 {
        self.estimate.iter().fold(self.width.max(self.log_det), |worst, &error| worst.max(error))
    }
}

/// Difficult contexts: nearly collinear, duplicated, zero and tiny ones, and a few ordinary ones.
pub fn contexts() -> Vec<Vec<f64>> {
    vec![
        vec![0.6, 0.8, 0.0, 0.0, 0.0],
        vec![0.6, 0.8 - 1e-9, 1e-7, 0.0, 0.0],
        vec![0.6 - 1e-9, 0.8 - 1e-9, 0.0, -1e-7, 0.0],
        vec![0.6, 0.8, 0.0, 0.0, 0.0],
        vec![0.0; 5],
        vec![3e-9, -4e-9, 5e-9, 1e-9, 6e-9],
        vec![0.0, 0.0, 1e-4, 0.0, 0.0],
        vec![0.1, -0.2, 0.3, 0.4, -0.5],
        vec![0.1, -0.2, 0.3, 0.4, -0.5],
        vec![0.0, 0.0, 0.0, 1e-8, 0.999],
    ]
}

/// Plays `rounds` rounds next to the shadow, and compares the two every `every` rounds. The ordinary contexts
/// are rare, so Z is stretched: in some directions there is almost no data. Rewards have means away from
/// zero, so ‖θ̂‖ is of the order of D and an error relative to it is meaningful.
pub fn soak(rounds: u64, every: u64) -> Drift {
    let links = [Link::Logit, Link::Probit, Link::Identity];
    let objectives = vec![
        Objective::new("click", links[0]),
        Objective::new("view", links[1]).minimize(),
        Objective::new("gain", links[2]),
    ];
    let problem = Problem::new(5, objectives).unwrap();
    let kappa = problem.shared_constants().kappa;
    let config = MoglbUcbConfig { width: Width::Tuned { c: 0.01 }, ..Default::default() };
    let mut policy = MoglbUcb::new(problem, config).unwrap();
    let mut shadow = Shadow::new(5, 1.0, kappa / 2.0, 3);
    let contexts = contexts();
    let mut rng = draw::seeded(600);
    let mut drift = Drift::default();
    for t in 1..=rounds {
        // Nine rounds of ten go to the nearly collinear, duplicated, zero and tiny contexts.
        let pick = if draw::below(10, &mut rng) < 9 {
            draw::below(7, &mut rng)
        } else {
            7 + draw::below(3, &mut rng)
        };
        let x = &contexts[pick];
        let reward = [
            f64::from(draw::unit(&mut rng) < 0.6),
            f64::from(draw::unit(&mut rng) < 0.3),
            1.6 * draw::unit(&mut rng) - 0.6,
        ];
        policy.learn(Arm::new(ArmId(pick), x).unwrap(), &reward).unwrap();
        shadow.learn(x, &reward, &links, 1.0);
        if t % every == 0 || t == rounds || t == 10 {
            compare(&policy, &shadow, &contexts, &mut drift);
        }
        if t == 10 {
            (drift.early_bytes, drift.early_snapshot) = (state_bytes(&policy), policy.to_bytes().len());
        }
    }
    (drift.late_bytes, drift.late_snapshot) = (state_bytes(&policy), policy.to_bytes().len());
    drift.projections = policy.model().map_or(0, |model| model.projection_hits());
    drift
}

fn compare(policy: &MoglbUcb, shadow: &Shadow, contexts: &[Vec<f64>], drift: &mut Drift) {
    let relative = |got: f64, truth: f64| (got - truth).abs() / truth.abs();
    let log_det = shadow.log_det();
    drift.log_det = drift.log_det.max(relative(policy.gram(0).log_det_ratio(), log_det));
    // Besides the contexts themselves, the directions between the nearly collinear contexts are probed.
    let mut probes: Vec<Vec<f64>> =
        contexts.iter().filter(|x| x.iter().any(|&v| v != 0.0)).cloned().collect();
    probes.extend([
        vec![0.8, -0.6, 0.0, 0.0, 0.0],
        vec![0.0, 0.0, 1.0, 0.0, 0.0],
        vec![0.0, 0.0, 0.6, -0.8, 0.0],
    ]);
    let arms = ArmSet::from_rows(&probes).unwrap();
    let decision = policy.decide(&arms, &mut draw::seeded(1)).unwrap();
    for (k, x) in probes.iter().enumerate() {
        let truth = (0.01 * log_det).sqrt() * shadow.norm_inv(x);
        drift.width = drift.width.max(relative(decision.widths.row(k)[0], truth));
    }
    let theta = policy.theta();
    for (i, truth) in shadow.thetas.iter().enumerate() {
        let off: f64 = theta.row(i).iter().zip(truth).map(|(got, t)| (got - t.value()).powi(2)).sum();
        let size: f64 = truth.iter().map(|t| t.value().powi(2)).sum();
        drift.estimate[i] = drift.estimate[i].max((off / size).sqrt());
    }
}

fn state_bytes(policy: &MoglbUcb) -> usize {
    let moglb::PolicyState::MoglbUcb(state) = policy.snapshot().state else { panic!("a state of MOGLB-UCB") };
    let lists =
        state.factors.iter().chain(&state.thetas).map(Vec::len).sum::<usize>() + state.gradients.len();
    8 * (lists + 3) // Σ‖x‖², the rounds and the projections
}
