//! Identification of the front: on problems made for them, identifiers need fewer samples than uniform
//! sampling, or are wrong less often.

use crate::common::identify::finish;
use crate::common::{bernoulli, dot, norm};
use moglb::{
    ArmSet, AuerConfig, BestArmRule, Front, GegeBudgetConfig, GegeConfig, IdentifierConfig, Link, Matrix,
    Objective, Problem, Scalarization, ScalarizedConfig, draw, front, gaps,
};

/// A world of arms with linear means.
struct World {
    problem: Problem,
    arms: ArmSet<'static>,
    means: Matrix,
}

impl World {
    /// Returns the world of contexts and of coefficients for each objective. Means must lie in [0, 1].
    fn new(contexts: &[Vec<f64>], thetas: &[Vec<f64>]) -> Self {
        let objective = |i: usize| Objective::new(format!("y{i}"), Link::Identity).range(0.0, 1.0);
        let longest = thetas.iter().map(|theta| norm(theta)).fold(1.0, f64::max);
        let problem = Problem::new(thetas[0].len(), (0..thetas.len()).map(objective).collect()).unwrap();
        let problem = problem.with_radius(longest).unwrap().with_arms(contexts.len()).unwrap();
        let rows: Vec<Vec<f64>> =
            contexts.iter().map(|x| thetas.iter().map(|theta| dot(theta, x)).collect()).collect();
        assert!(rows.iter().flatten().all(|mean| (0.0..=1.0).contains(mean)));
        Self { problem, arms: ArmSet::from_rows(contexts).unwrap(), means: Matrix::from_rows(&rows).unwrap() }
    }

    /// Arms that carry no information about each other: unit vectors.
    fn apart(means: &[[f64; 2]]) -> Self {
        let n = means.len();
        let unit = |k: usize| (0..n).map(|j| f64::from(u8::from(j == k))).collect();
        let theta = |i: usize| means.iter().map(|row| row[i]).collect();
        Self::new(&(0..n).map(unit).collect::<Vec<_>>(), &[theta(0), theta(1)])
    }

    /// The mean number of samples over some runs, and the number of runs with the right answer.
    fn samples(&self, config: &IdentifierConfig, runs: u64) -> (f64, u64) {
        let (mut samples, mut right) = (0.0, 0);
        for seed in 0..runs {
            let mut identifier = config.build(&self.problem, &self.arms).unwrap();
            let (answer, taken) = finish(&mut *identifier, &self.arms, &self.means, seed);
            samples += taken as f64;
            right += u64::from(identifier.goal().is_met(&answer, &self.means).unwrap());
        }
        (samples / runs as f64, right)
    }
}

fn uniform(accuracy: f64) -> IdentifierConfig {
    IdentifierConfig::Uniform(AuerConfig { accuracy, ..Default::default() })
}

/// Two features and forty arms: two of length one at 30° and 60°, and others of length 0.2 between these
/// directions. A sample of one arm informs about all; uniform sampling learns every arm separately.
#[test]
fn gege_needs_fewer_samples_than_uniform_sampling_where_many_arms_share_few_features() {
    let at = |length: f64, degrees: f64| {
        let angle = degrees.to_radians();
        vec![length * angle.cos(), length * angle.sin()]
    };
    let short = (0..38).map(|k| at(0.2, 30.0 + 30.0 * f64::from(k) / 37.0));
    let contexts: Vec<Vec<f64>> =
        [30.0, 60.0].map(|angle| at(1.0 - 1e-12, angle)).into_iter().chain(short).collect();
    let world = World::new(&contexts, &[vec![1.0, 0.0], vec![0.0, 1.0]]);
    let (gege, right) = world.samples(&IdentifierConfig::Gege(GegeConfig::default()), 20);
    let (all, _) = world.samples(&uniform(0.05), 20);
    println!("{gege} samples, uniform sampling {all}, {right} of 20 right");
    assert!(right >= 17, "{right} of 20");
    assert!(gege < 0.5 * all, "{gege} samples, uniform sampling {all}");
}

/// Two arms of the front are hard to separate, 0.06; thirty others are far below. A cover continues with
/// these two only, which it must know twice as accurately as the front needs.
#[test]
fn a_sparse_cover_needs_fewer_samples_than_uniform_sampling_where_most_arms_are_easy() {
    let means = [&[[0.9, 0.1], [0.1, 0.9], [0.5, 0.55], [0.44, 0.61]][..], &[[0.15, 0.15]; 30]].concat();
    let (world, accuracy) = (World::apart(&means), 0.04);
    let cover = IdentifierConfig::AuerCover(AuerConfig { accuracy, ..Default::default() });
    let ((cover, right), (all, _)) = (world.samples(&cover, 5), world.samples(&uniform(accuracy), 5));
    println!("{cover} samples, uniform sampling {all}, {right} of 5 right");
    assert!(right >= 4, "{right} of 5");
    assert!(cover < 0.6 * all, "{cover} samples, uniform sampling {all}");
}

/// The arm in the middle is far ahead for nearly even weights; the pair that is hard to separate is at an end
/// of the front.
#[test]
fn scalarized_identification_needs_fewer_samples_than_uniform_sampling_where_its_weights_are_easy() {
    let means = [[0.9, 0.05], [0.84, 0.11], [0.7, 0.7], [0.05, 0.9], [0.2, 0.2], [0.1, 0.1]];
    let (world, accuracy) = (World::apart(&means), 0.04);
    let (all, _) = world.samples(&uniform(accuracy), 10);
    for scalarization in [Scalarization::Linear, Scalarization::Chebyshev] {
        for rule in [BestArmRule::Elimination, BestArmRule::Lucb] {
            let weights = Some(vec![vec![0.55, 0.45], vec![0.45, 0.55]]);
            let config = ScalarizedConfig { scalarization, weights, rule, accuracy, ..Default::default() };
            let (samples, right) = world.samples(&IdentifierConfig::Scalarized(config), 10);
            println!("{scalarization:?}, {rule:?}: {samples}, uniform sampling {all}, {right} of 10 right");
            assert!(right >= 8, "{scalarization:?}, {rule:?}: {right} of 10");
            assert!(samples < 0.5 * all, "{scalarization:?}, {rule:?}: {samples}, uniform sampling {all}");
        }
    }
}

/// The front of the means, with equally many samples of each arm.
fn front_of_equal_samples(world: &World, budget: u64, seed: u64) -> Front {
    let (mut rng, each) = (draw::seeded(seed), budget / world.arms.n_arms() as u64);
    let mut mean = |&p: &f64| (0..each).map(|_| bernoulli(p, &mut rng)).sum::<f64>() / each as f64;
    let rows: Vec<Vec<f64>> = world.means.rows().map(|row| row.iter().map(&mut mean).collect()).collect();
    front(&Matrix::from_rows(&rows).unwrap()).unwrap()
}

/// Four features, and 32 arms of which three are on the front: linear rewards save samples with a budget too.
#[test]
fn gege_with_a_budget_errs_less_often_than_uniform_sampling_with_the_same_budget() {
    let mut rng = draw::seeded(8);
    let mut contexts = vec![vec![0.8, 0.1, 0.4, 0.1], vec![0.1, 0.8, 0.1, 0.4], vec![0.5, 0.5, 0.4, 0.4]];
    contexts.extend((3..32).map(|_| (0..4).map(|_| 0.3 * draw::unit(&mut rng)).collect()));
    let world = World::new(&contexts, &[vec![0.8, 0.2, 0.3, 0.1], vec![0.2, 0.8, 0.1, 0.3]]);
    let truth = front(&world.means).unwrap();
    let least = gaps(&world.means).unwrap().into_iter().filter(|gap| *gap > 0.0).fold(1.0, f64::min);
    assert!(truth.len() == 3 && least > 0.05, "{truth:?}, least gap {least}");
    let budget = 1600;
    let config = IdentifierConfig::GegeBudget(GegeBudgetConfig { budget });
    let (_, right) = world.samples(&config, 200);
    let equal = (0..200).filter(|&seed| front_of_equal_samples(&world, budget, seed) == truth).count() as u64;
    println!("{right} and {equal} of 200");
    assert!(right >= equal + 20, "{right} of 200 right, uniform sampling {equal}");
}
