//! The choices that bytes can make: problems, policies, arms and rewards, ordinary ones and extreme
//! ones.

use crate::promise::Promised;
use arbitrary::{Result, Unstructured};
use moglb::{
    ArmSet, Csr, Direction, Kind, Link, Norms, Objective, POLICIES, PolicyConfig, PolicyInfo, Problem,
    ProblemConfig, Storage,
};
use serde_json::{Value, json};

/// Ways to play. Some of them fit every problem.
pub const PLAYS: &[&str] = &[
    "{}",
    r#"{"prefer":{"kind":"uniform"}}"#,
    r#"{"prefer":{"kind":"best","objective":0},"floor":{"share":0.3}}"#,
    r#"{"prefer":{"kind":"weights","weights":[1,2]},"belief":"optimistic"}"#,
    r#"{"prefer":{"kind":"hypervolume"},"floor":{"share":1.0,"over":"front"}}"#,
    r#"{"prefer":{"kind":"knee"},"exclude":[0]}"#,
    r#"{"prefer":{"kind":"least-exposed"},"baseline":{"arm":0,"share":0.5}}"#,
    r#"{"prefer":{"kind":"chebyshev","weights":[1,1]},"objectives":[0,1]}"#,
    r#"{"prefer":{"kind":"lexicographic","order":[1,0],"tolerances":[0.1]},"include":[0,1]}"#,
    r#"{"objectives":[0]}"#,
];

const WORDS: &[&str] = &[
    "proved",
    "tightened",
    "shared",
    "per-objective",
    "adversarial",
    "stochastic",
    "chebyshev",
    "linear",
    "none",
];

/// Returns one of some values.
pub fn one_of<T: Copy>(u: &mut Unstructured<'_>, values: &[T]) -> Result<T> {
    u.choose(values).copied()
}

/// Returns a problem; `None` if the chosen one is not valid.
pub fn any_problem(u: &mut Unstructured<'_>) -> Result<Option<Problem>> {
    let mut objectives = Vec::new();
    for name in ["a", "b", "c", "d"].iter().take(u.int_in_range(1..=4)?) {
        let link = one_of(u, &[Link::Logit, Link::Identity, Link::Probit, Link::Log])?;
        let mut objective = Objective::new(*name, link);
        if u.arbitrary()? {
            objective.direction = Direction::Minimize;
        }
        if u.ratio(1, 3)? {
            let ranges = [(0.0, 1.0), (-5.0, 5.0), (0.0, 1e-9), (100.0, 101.0), (-1e6, 1e6), (0.0, 1e-190)];
            objective.range = Some(one_of(u, &ranges)?);
        }
        objectives.push(objective);
    }
    let config = ProblemConfig {
        dim: one_of(u, &[1, 2, 3, 5])?,
        objectives,
        radius: one_of(u, &[1.0, 1.0, 1.0, 0.1, 3.0, 1e-100, 1e-6])?,
        n_arms: one_of(u, &[None, Some(1), Some(2), Some(4), Some(4), Some(9)])?,
    };
    Ok(Problem::from_config(config).ok())
}

/// Returns a policy with its parameters; `None` if they cannot be read.
pub fn any_policy(u: &mut Unstructured<'_>, problem: &Problem) -> Result<Option<PolicyConfig>> {
    let written = written_policy(u, problem, 2)?;
    Ok(serde_json::from_value(written).ok())
}

fn written_policy(u: &mut Unstructured<'_>, problem: &Problem, depth: u32) -> Result<Value> {
    let info: &PolicyInfo = one_of(u, POLICIES)?;
    let mut written = json!({ "id": info.id });
    for parameter in info.parameters {
        let needed = parameter.kind == Kind::Policy;
        if needed && depth > 0 {
            written[parameter.name] = written_policy(u, problem, depth - 1)?;
        } else if u.ratio(1, 5)? {
            written[parameter.name] = value(u, parameter.kind, problem)?;
        }
    }
    Ok(written)
}

fn value(u: &mut Unstructured<'_>, kind: Kind, problem: &Problem) -> Result<Value> {
    let numbers = [0.0, 1e-100, 1e-6, 0.01, 0.1, 0.5, 0.9, 0.99, 1.0, 2.0, 5.0, 100.0, 1e6, 1e100];
    let number = |u: &mut Unstructured<'_>| one_of(u, &numbers);
    Ok(match kind {
        Kind::Number => json!(number(u)?),
        Kind::Count => json!(one_of(u, &[0, 1, 2, 3, 5, 10, 20, 50, 1000])?),
        Kind::Flag => json!(u.arbitrary::<bool>()?),
        Kind::Word => json!(one_of(u, WORDS)?),
        Kind::Numbers => {
            let all = (0..problem.n_objectives()).map(|_| number(u)).collect::<Result<Vec<f64>>>()?;
            json!(all)
        }
        Kind::Table => json!([[1.0, 0.0], [0.5, 0.5]]),
        Kind::Groups => one_of(u, &["[[0]]", "[[0],[1]]", "[[1,0]]"])?.parse().promised("a list of lists"),
        Kind::Target => json!(u.int_in_range(0..=problem.n_objectives())?),
        Kind::Priors => {
            let prior = json!({ "theta": vec![0.1; problem.dim()], "deviation": number(u)? });
            json!(vec![prior; problem.n_objectives()])
        }
        Kind::Policy => json!({ "id": "random" }),
    })
}

/// Returns arms; `None` if the chosen ones are not valid.
pub fn any_arms(u: &mut Unstructured<'_>, dim: usize, n_arms: usize) -> Result<Option<ArmSet<'static>>> {
    let scale = one_of(u, &[1.0, 1.0, 1.0, 0.5, 1e-4, 1e-8, 1e-160])?;
    let mut table = (0..dim * n_arms).map(|_| entry(u)).collect::<Result<Vec<f64>>>()?;
    for row in table.chunks_exact_mut(dim) {
        let length = row.iter().map(|x| x * x).sum::<f64>().sqrt();
        let factor = if length > 1.0 { scale / length } else { scale };
        row.iter_mut().for_each(|x| *x *= factor);
    }
    if u.ratio(1, 6)? {
        // The last row repeats the first, so that two arms are equal.
        let first = table[..dim].to_vec();
        table.chunks_exact_mut(dim).last().expect("an arm").copy_from_slice(&first);
    }
    let arms = match u.int_in_range(0..=4u8)? {
        0 => sparse(dim, &table).and_then(|table| ArmSet::sparse(table, Norms::Clip)),
        1 => ArmSet::new(dim, table, Norms::Strict).map(|arms| arms.stored_as(Storage::F32)),
        2 => ArmSet::borrowed(dim, &table).map(ArmSet::into_owned),
        _ => ArmSet::new(dim, table, Norms::Clip),
    };
    Ok(arms.ok())
}

fn sparse(dim: usize, table: &[f64]) -> std::result::Result<Csr, moglb::Error> {
    let n_arms = table.len() / dim;
    let columns = (0..table.len()).map(|k| k % dim).collect();
    Csr::new(dim, (0..=n_arms).map(|arm| arm * dim).collect(), columns, table.to_vec())
}

fn entry(u: &mut Unstructured<'_>) -> Result<f64> {
    Ok(match u.int_in_range(0..=7u8)? {
        0 => one_of(u, &[0.0, -0.0, 1.0, -1.0, 1e-8, 1e-200, 5e-324, 0.1])?,
        _ => f64::from(u.arbitrary::<i8>()?) / 128.0,
    })
}

/// Returns a reward vector in the ranges of the objectives.
pub fn good_reward(u: &mut Unstructured<'_>, problem: &Problem) -> Result<Vec<f64>> {
    let mut reward = Vec::new();
    for objective in problem.objectives() {
        let (low, high) = objective.rewards();
        let share = one_of(u, &[0.0, 1.0, 0.5, 0.25])?;
        reward.push((low + share * (high - low)).clamp(low, high));
    }
    Ok(reward)
}

/// Returns a reward vector that may be out of range, not a number, too short or too long.
pub fn any_reward(u: &mut Unstructured<'_>, problem: &Problem) -> Result<Vec<f64>> {
    let mut reward = good_reward(u, problem)?;
    let k = u.choose_index(reward.len())?;
    match u.int_in_range(0..=4u8)? {
        0 => reward[k] = f64::NAN,
        1 => reward[k] = f64::INFINITY,
        2 => reward[k] = one_of(u, &[-1e308, 1e308, -0.0, 2.0])?,
        3 => reward.push(0.0),
        _ => reward.truncate(k),
    }
    Ok(reward)
}
