//! A certified front over a million rounds, and its cost: the figure and the numbers of docs/certificate.md.
//!
//! `cargo run --release -p moglb-bench --example certificate -- DIR` writes `certificate.svg` and
//! `certificate.png` to the folder DIR, and prints the numbers.

use anyhow::{Context, Result};
use moglb::{
    ArmId, ArmSet, Certificate, CertificateConfig, Decision, FairMoglbUcb, FairMoglbUcbConfig, Link, Matrix,
    MoglbUcb, MoglbUcbConfig, Norms, Objective, Policy, Problem, Source, Status, draw, front, gaps,
};
use moglb_figure::svg::{self, INK};
use std::sync::Arc;
use std::time::Instant;

/// The number of rounds of each run.
const ROUNDS: u64 = 1_000_000;
/// The sources of confidence sets that certificates are compared with, by name.
const SOURCES: [(&str, Source); 5] = [
    ("Theorem 1", Source::Theorem1),
    ("tightened", Source::Tightened),
    ("GLB-OMD", Source::GlbOmd),
    ("likelihood ratio", Source::LikelihoodRatio),
    ("intervals", Source::Intervals),
];

/// An environment with contexts and coefficients on the unit sphere, logit links, and rewards 0 or 1.
struct World {
    problem: Problem,
    arms: Arc<ArmSet<'static>>,
    means: Matrix,
}

impl World {
    fn new(dim: usize, n_arms: usize, m: usize, seed: u64) -> Result<Self> {
        let mut rng = draw::seeded(seed);
        let mut direction = || {
            let x: Vec<f64> = (0..dim).map(|_| draw::normal(&mut rng)).collect();
            let length = x.iter().map(|x| x * x).sum::<f64>().sqrt();
            x.into_iter().map(|x| x / length).collect::<Vec<f64>>()
        };
        let contexts = (0..n_arms).flat_map(|_| direction()).collect();
        let arms = ArmSet::new(dim, contexts, Norms::Clip)?;
        let thetas: Vec<Vec<f64>> = (0..m).map(|_| direction()).collect();
        let mean = |x: &[f64], theta: &[f64]| Link::Logit.mean(x.iter().zip(theta).map(|(a, b)| a * b).sum());
        let rows: Vec<Vec<f64>> =
            arms.iter().map(|arm| thetas.iter().map(|theta| mean(arm.context(), theta)).collect()).collect();
        let objectives = (0..m).map(|i| Objective::new(format!("y{i}"), Link::Logit)).collect();
        let problem = Problem::new(dim, objectives)?.with_arms(n_arms)?;
        Ok(Self { problem, arms: Arc::new(arms), means: Matrix::from_rows(&rows)? })
    }

    /// Draws the reward vector of an arm.
    fn reward(&self, arm: usize, rng: &mut dyn moglb::Rng, reward: &mut Vec<f64>) {
        reward.clear();
        reward.extend(self.means.row(arm).iter().map(|&p| f64::from(draw::unit(rng) < p)));
    }

    /// A certificate from these sources, before the first round.
    fn certificate(&self, sources: Vec<Source>) -> Result<Certificate> {
        let config = CertificateConfig { sources, ..Default::default() };
        Ok(Certificate::new(self.problem.clone(), &self.arms, config)?)
    }

    /// Plays a policy, or arms uniformly at random if there is none, and lets the certificates learn every
    /// reward. Returns the points of each certificate's curves.
    fn play(
        &self,
        mut policy: Option<&mut dyn Policy>,
        certificates: &mut [Certificate],
    ) -> Result<Vec<Vec<Point>>> {
        let (mut rng, mut decision, mut reward) = (draw::seeded(11), Decision::lean(), Vec::new());
        if let Some(policy) = &mut policy {
            policy.fix_arms(&self.arms)?;
        }
        let (mut points, mut next) = (vec![Vec::new(); certificates.len()], 100);
        for t in 1..=ROUNDS {
            let arm = match &policy {
                Some(policy) => {
                    policy.decide_into(&self.arms, &mut rng, &mut decision)?;
                    decision.arm
                }
                None => ArmId(draw::below(self.arms.n_arms(), &mut rng)),
            };
            self.reward(arm.0, &mut rng, &mut reward);
            if let Some(policy) = &mut policy {
                policy.learn(self.arms.arm(arm), &reward)?;
            }
            for certificate in certificates.iter_mut() {
                certificate.learn(arm, &reward)?;
            }
            if t == next {
                certificates.iter().zip(&mut points).for_each(|(c, points)| points.push(Point::of(t, c)));
                next = (next * 21 / 20).min(ROUNDS);
            }
        }
        Ok(points)
    }

    /// Checks a certificate against the true means; panics if one of its statements is false.
    fn hold_to_the_truth(&self, certificate: &Certificate) -> Result<()> {
        let (optimal, gap) = (front(&self.means)?, gaps(&self.means)?);
        for arm in (0..self.arms.n_arms()).map(ArmId) {
            let status = certificate.status(arm);
            assert!(status != Status::In || optimal.contains(arm), "arm {arm} is not on the front");
            assert!(status != Status::Out || !optimal.contains(arm), "arm {arm} is on the front");
        }
        assert!(certificate.gap_bounds().iter().zip(&gap).all(|(bound, gap)| gap <= &(bound + 1e-12)));
        Ok(())
    }
}

/// A point of a curve: the round, the numbers of arms that are certainly on or off the front, and the bound
/// on the Jaccard index.
#[derive(Clone)]
struct Point {
    t: f64,
    surely: f64,
    never: f64,
    jaccard: f64,
}

impl Point {
    fn of(t: u64, certificate: &Certificate) -> Self {
        let (surely, never) = (certificate.arms_in().len() as f64, certificate.arms_out().len() as f64);
        Self { t: t as f64, surely, never, jaccard: certificate.jaccard_bound() }
    }
}

fn main() -> Result<()> {
    let folder = std::env::args().nth(1).context("the folder to write to")?;
    let world = World::new(5, 20, 3, 2)?;
    let optimal = front(&world.means)?;
    println!("d = 5, K = 20, m = 3, logit, T = {ROUNDS}: |O*| = {}", optimal.len());
    let all: Vec<Source> = SOURCES.iter().map(|(_, source)| *source).collect();
    let mut alone =
        SOURCES.iter().map(|(_, source)| world.certificate(vec![*source])).collect::<Result<Vec<_>>>()?;
    alone.push(world.certificate(all.clone())?);
    let by_source = world.play(None, &mut alone)?;
    for (name, certificate) in SOURCES.iter().map(|(name, _)| *name).chain(["all five"]).zip(&alone) {
        world.hold_to_the_truth(certificate)?;
        println!("uniform play, {name:17} {}", words(certificate));
    }
    let mut by_player = vec![("uniform", by_source[5].clone())];
    let mut fair = FairMoglbUcb::new(
        world.problem.clone(),
        FairMoglbUcbConfig { period: Some(40), ..Default::default() },
    )?;
    let mut moglb = MoglbUcb::new(world.problem.clone(), MoglbUcbConfig::default())?;
    for (name, policy) in
        [("Fair MOGLB-UCB, P = 2K", &mut fair as &mut dyn Policy), ("MOGLB-UCB", &mut moglb)]
    {
        let mut certificate = [world.certificate(all.clone())?];
        by_player.push((name, world.play(Some(policy), &mut certificate)?.remove(0)));
        world.hold_to_the_truth(&certificate[0])?;
        println!("all five, {name:22} {}", words(&certificate[0]));
    }
    let names = SOURCES.iter().map(|(name, _)| *name).chain(["all five"]);
    let drawn = figure(&names.zip(by_source).collect::<Vec<_>>(), &by_player, optimal.len());
    std::fs::write(format!("{folder}/certificate.svg"), &drawn)?;
    std::fs::write(format!("{folder}/certificate.png"), moglb_figure::to_png(&drawn)?)?;
    costs()
}

/// The statements of a certificate as text.
fn words(certificate: &Certificate) -> String {
    let regret = certificate.regret_bound();
    format!(
        "IN {:2}, OUT {:2}, Jaccard ≥ {:.3}, regret ≤ {regret:.0}",
        certificate.arms_in().len(),
        certificate.arms_out().len(),
        certificate.jaccard_bound()
    )
}

/// Prints the cost per round compared with MOGLB-UCB at K = 40, d = 10, m = 5, over 100 000 rounds: medians
/// of five runs that take turns.
fn costs() -> Result<()> {
    let world = World::new(10, 40, 5, 1)?;
    let cases: [(&str, Vec<Source>); 6] = [
        ("tightened", vec![Source::Tightened]),
        ("GLB-OMD", vec![Source::GlbOmd]),
        ("likelihood ratio", vec![Source::LikelihoodRatio]),
        ("intervals", vec![Source::Intervals]),
        ("tightened and intervals, the default", CertificateConfig::default().sources),
        ("all five", SOURCES.iter().map(|(_, source)| *source).collect()),
    ];
    let rounds = 100_000;
    let mut times = vec![Vec::new(); cases.len() + 1];
    for _ in 0..5 {
        let mut policy = MoglbUcb::new(world.problem.clone(), MoglbUcbConfig::default())?;
        policy.fix_arms(&world.arms)?;
        let (mut rng, mut decision, mut reward) = (draw::seeded(5), Decision::lean(), Vec::new());
        let mut plays = Vec::with_capacity(rounds);
        let mut spent = 0.0;
        for _ in 0..rounds {
            let start = Instant::now();
            policy.decide_into(&world.arms, &mut rng, &mut decision)?;
            spent += start.elapsed().as_secs_f64();
            world.reward(decision.arm.0, &mut rng, &mut reward);
            plays.push((decision.arm, reward.clone()));
            let start = Instant::now();
            policy.learn(world.arms.arm(decision.arm), &reward)?;
            spent += start.elapsed().as_secs_f64();
        }
        times[0].push(spent);
        for ((_, sources), times) in cases.iter().zip(&mut times[1..]) {
            let mut certificate = world.certificate(sources.clone())?;
            let start = Instant::now();
            for (arm, reward) in &plays {
                certificate.learn(*arm, reward)?;
            }
            times.push(start.elapsed().as_secs_f64());
        }
    }
    let median = |times: &mut Vec<f64>| {
        times.sort_by(f64::total_cmp);
        1e6 * times[2] / rounds as f64
    };
    let base = median(&mut times[0]);
    println!("a round of MOGLB-UCB, two clock readings included: {base:.2} µs");
    for ((name, _), times) in cases.iter().zip(&mut times[1..]) {
        let cost = median(times);
        println!("a round of a certificate, {name}: {cost:.2} µs, {:.2} of MOGLB-UCB's", cost / base);
    }
    Ok(())
}

/// The colors and dashes of curves, in the colors of Okabe and Ito.
const STYLES: [(&str, &[f64]); 6] = [
    ("#999999", &[2.0, 2.0]),
    ("#e69f00", &[7.0, 3.0]),
    ("#009e73", &[4.0, 3.0]),
    ("#d55e00", &[9.0, 3.0, 2.0, 3.0]),
    ("#0072b2", &[5.0, 2.0]),
    ("#000000", &[]),
];
const WIDTH: f64 = 330.0;
const HEIGHT: f64 = 220.0;
const LEFT: f64 = 58.0;
const TOP: f64 = 34.0;

/// Draws the figure: the share of decided arms by source, and the Jaccard index by policy.
fn figure(by_source: &[(&str, Vec<Point>)], by_player: &[(&str, Vec<Point>)], optimal: usize) -> String {
    let decided = |point: &Point| (point.surely + point.never) / 20.0;
    let mut body =
        panel(0.0, "Arms decided, by source (uniform play)", "share of 20 arms", by_source, decided);
    let title = format!("Certified Jaccard index (|O*| = {optimal}, all five)");
    body += &panel(WIDTH + LEFT + 24.0, &title, "|IN| / (K − |OUT|)", by_player, |point| point.jaccard);
    svg::document(
        (2.0 * (WIDTH + LEFT + 24.0), TOP + HEIGHT + 150.0),
        "A certified front over a million rounds",
        &body,
    )
}

/// Draws a panel with values in [0, 1] over rounds on a logarithmic axis, with its legend below.
fn panel(
    left: f64,
    title: &str,
    y_name: &str,
    curves: &[(&str, Vec<Point>)],
    value: impl Fn(&Point) -> f64,
) -> String {
    let x0 = left + LEFT;
    let place = |t: f64, y: f64| (x0 + WIDTH * (t / 100.0).log10() / 4.0, TOP + HEIGHT * (1.0 - y));
    let mut out = svg::text((x0 + WIDTH / 2.0, 20.0), 13.0, "middle", title);
    for (tick, name) in [(1e2, "100"), (1e3, "1000"), (1e4, "10k"), (1e5, "100k"), (1e6, "1M")] {
        let x = place(tick, 0.0).0;
        out += &svg::line((x, TOP), (x, TOP + HEIGHT), "#e4e4e4", 0.8);
        out += &svg::text((x, TOP + HEIGHT + 16.0), 11.0, "middle", name);
    }
    for tick in [0.0, 0.25, 0.5, 0.75, 1.0] {
        let y = place(100.0, tick).1;
        out += &svg::line((x0, y), (x0 + WIDTH, y), "#e4e4e4", 0.8);
        out += &svg::text((x0 - 7.0, y + 4.0), 11.0, "end", &tick.to_string());
    }
    out += &svg::line((x0, TOP + HEIGHT), (x0 + WIDTH, TOP + HEIGHT), INK, 0.9);
    out += &svg::line((x0, TOP), (x0, TOP + HEIGHT), INK, 0.9);
    out += &svg::text((x0 + WIDTH / 2.0, TOP + HEIGHT + 33.0), 12.0, "middle", "round t");
    out += &svg::text_upward((left + 14.0, TOP + HEIGHT / 2.0), 12.0, y_name);
    for (k, (name, points)) in curves.iter().enumerate() {
        let (color, dash) = STYLES[k + STYLES.len() - curves.len()];
        out += &svg::stroke(&svg::path(points.iter().map(|p| place(p.t, value(p)))), color, 1.8, dash);
        let y = TOP + HEIGHT + 52.0 + 16.0 * k as f64;
        out += &svg::stroke(&svg::path([(x0, y), (x0 + 34.0, y)]), color, 1.8, dash);
        out += &svg::text((x0 + 42.0, y + 4.0), 11.0, "start", name);
    }
    out
}
