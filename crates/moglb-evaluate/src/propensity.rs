//! Propensities that were not recorded, estimated from contexts.

use crate::EvaluateError;
use moglb::{Link, Matrix};
use moglb_data::{Collinear, fit};

/// The probability of every arm (columns) in every round (rows), by a multinomial logit model of the played
/// arms given [1, x]: log p(a|x)/p(b|x) = θ_aᵀ[1, x], where b is the arm that was played most. Each θ_a is
/// the maximum likelihood estimate from the rounds that played a or b (Begg and Gray 1984), so that the logit
/// fit for two outcomes is sufficient.
///
/// This assumes that only the context decided which arm was played. Arms that were never played have
/// probability zero.
///
/// # Errors
///
/// [`EvaluateError::Fit`], for example if an arm was played exactly in a part of the contexts: then its
/// propensity is 0 or 1.
pub fn estimate(contexts: &Matrix, played: &[usize], n_arms: usize) -> Result<Matrix, EvaluateError> {
    EvaluateError::check_memory("the estimated propensities", played.len(), n_arms)?;
    let mut counts = vec![0usize; n_arms];
    played.iter().for_each(|&arm| counts[arm] += 1);
    let most = (1..n_arms).fold(0, |best, arm| if counts[arm] > counts[best] { arm } else { best });
    let columns: Vec<String> =
        std::iter::once("intercept".into()).chain((0..contexts.n_cols()).map(|k| format!("x{k}"))).collect();
    let mut thetas = Vec::with_capacity(n_arms);
    for arm in 0..n_arms {
        thetas.push(match (counts[arm], arm == most) {
            (0, _) => None,
            (_, true) => Some(vec![0.0; columns.len()]),
            _ => Some(against(contexts, played, (arm, most), &columns)?),
        });
    }
    let mut probabilities = Vec::with_capacity(played.len() * n_arms);
    for x in contexts.rows() {
        let score = |theta: &Vec<f64>| theta[0] + theta[1..].iter().zip(x).map(|(t, x)| t * x).sum::<f64>();
        let scores: Vec<Option<f64>> = thetas.iter().map(|theta| theta.as_ref().map(score)).collect();
        let top = scores.iter().flatten().fold(f64::NEG_INFINITY, |a: f64, &b| a.max(b));
        let powers: Vec<f64> =
            scores.iter().map(|score| score.map_or(0.0, |score| libm::exp(score - top))).collect();
        let sum: f64 = powers.iter().sum();
        probabilities.extend(powers.iter().map(|power| power / sum));
    }
    Ok(Matrix::new(n_arms, probabilities).expect("whole rows"))
}

/// The coefficients of one arm compared with another.
fn against(
    contexts: &Matrix,
    played: &[usize],
    (arm, other): (usize, usize),
    columns: &[String],
) -> Result<Vec<f64>, EvaluateError> {
    let (mut vectors, mut is_arm) = (Vec::new(), Vec::new());
    for (x, &now) in contexts.rows().zip(played).filter(|(_, now)| **now == arm || **now == other) {
        vectors.push(1.0);
        vectors.extend_from_slice(x);
        is_arm.push(f64::from(u8::from(now == arm)));
    }
    let vectors = Matrix::new(columns.len(), vectors).expect("whole rows");
    let fitted = fit(Link::Logit, columns, &vectors, &is_arm, Collinear::Drop);
    let what = || format!("the propensity of arm {arm}");
    Ok(fitted.map_err(|error| EvaluateError::Fit { what: what(), error })?.theta)
}

#[cfg(test)]
mod tests {
    use super::*;
    use moglb::draw;

    /// With 4000 draws of a known model, the estimates are wrong by a few hundredths. The seed is fixed, so
    /// there is no false alarm.
    #[test]
    fn a_known_way_to_play_is_found_again() {
        let mut rng = draw::seeded(3);
        let (mut contexts, mut played, mut truth) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..4000 {
            let x = draw::unit(&mut rng);
            let powers = [1.0, libm::exp(1.0 - 2.0 * x), 0.0, libm::exp(x - 1.0)];
            let sum: f64 = powers.iter().sum();
            let (mut left, mut arm) = (draw::unit(&mut rng) * sum, 0);
            while left >= powers[arm] {
                left -= powers[arm];
                arm += 1;
            }
            contexts.push([x]);
            played.push(arm);
            truth.push(powers.map(|power| power / sum));
        }
        let found = estimate(&Matrix::from_rows(&contexts).unwrap(), &played, 4).unwrap();
        let off = found.rows().zip(&truth).flat_map(|(a, b)| a.iter().zip(b).map(|(a, b)| (a - b).abs()));
        let off = off.fold(0.0, f64::max);
        assert!(off < 0.05, "{off}");
        assert!(found.rows().all(|row| row[2] == 0.0 && (row.iter().sum::<f64>() - 1.0).abs() < 1e-12));
    }
}
