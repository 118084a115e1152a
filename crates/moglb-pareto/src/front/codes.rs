//! Codes: 16 bits for each value, in the same order as the values, so that 32 points are compared at once.
//!
//! A smaller code means a smaller value; equal codes leave the order of the values open. So codes rule out
//! nearly all pairs, and the values decide the few that remain.

use moglb_math::matrix::Rows;

/// The number of values of each objective that are sorted to estimate the distribution of all. The last one
/// is the largest value.
const LANDMARKS: usize = 256;

/// The number of steps into which the range between two landmarks is divided.
const STEPS: f64 = 256.0;

/// A code that is below the code of every value.
pub(super) const BELOW: u16 = 0;

/// A map from the values of one objective to codes. It never reverses the order of two values.
#[derive(Debug, Clone, Default)]
pub(super) struct CodeScale {
    /// Sorted values of the objective, among them the smallest and the largest.
    landmarks: Vec<f64>,
    /// The number of steps per unit between each landmark and the next.
    rates: Vec<f64>,
}

impl CodeScale {
    /// Takes the landmarks from some of the rows. The extremes are those of all rows, so no value lies
    /// outside.
    pub fn learn(&mut self, points: Rows<'_>, objective: usize) {
        let values = points.as_slice()[objective..].iter().step_by(points.n_cols()).copied();
        let low = values.clone().fold(f64::INFINITY, |low, value| if value < low { value } else { low });
        let high =
            values.clone().fold(f64::NEG_INFINITY, |high, value| if value > high { value } else { high });
        self.landmarks.clear();
        self.landmarks.extend(values.step_by(points.n_rows().div_ceil(LANDMARKS)));
        self.landmarks.resize(LANDMARKS, high);
        self.landmarks[LANDMARKS - 1] = high;
        self.landmarks[LANDMARKS - 2] = low;
        self.landmarks.sort_unstable_by(f64::total_cmp);
        self.rates.clear();
        self.rates.extend(self.landmarks.windows(2).map(|pair| rate(pair[1] - pair[0])));
        self.rates.push(0.0);
    }

    /// The code of a value between the extremes, at least 1.
    #[inline(always)]
    pub fn code(&self, value: f64) -> u16 {
        let (landmarks, rates) = (&self.landmarks[..LANDMARKS], &self.rates[..LANDMARKS]);
        let mut last = 0;
        let mut step = LANDMARKS / 2;
        while step > 0 {
            last += if landmarks[last + step] <= value { step } else { 0 };
            step /= 2;
        }
        // 0·∞ is NaN, and `min` turns NaN into the last step, which no step of the range exceeds. It happens
        // for all values of a range that is too short to divide, and for values at the far end of a range
        // that is too long.
        let beyond = ((value - landmarks[last]) * rates[last]).min(STEPS - 1.0) as u16;
        1 + (last as u16 * STEPS as u16 + beyond)
    }
}

/// The steps per unit of a range, which may be empty, infinite, or so short that the result is infinite.
fn rate(range: f64) -> f64 {
    if range.is_finite() { STEPS / range } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use moglb_math::draw;

    fn scale(values: &[f64]) -> CodeScale {
        let mut scale = CodeScale::default();
        scale.learn(Rows::new(1, values).unwrap(), 0);
        scale
    }

    #[test]
    fn codes_never_turn_an_order_around() {
        let mut rng = draw::seeded(12);
        let unit: Vec<f64> = (0..3000).map(|_| draw::unit(&mut rng)).collect();
        let sets: [Vec<f64>; 6] = [
            unit.clone(),
            unit.iter().map(|x| (x - 0.5) * 2.0 * f64::MAX).collect(),
            unit.iter().map(|x| (x * 900.0).floor() * 5e-324).collect(),
            unit.iter().map(|x| libm::exp(1400.0 * (x - 0.5))).collect(),
            unit.iter().map(|x| 1e9 + x * 1e-6).collect(),
            unit.iter()
                .map(|x| if *x < 0.5 { -0.0 } else { 0.0 })
                .chain([f64::MAX, f64::MIN, 5e-324])
                .collect(),
        ];
        for mut values in sets {
            let scale = scale(&values);
            values.sort_unstable_by(f64::total_cmp);
            assert!(values.iter().map(|&value| scale.code(value)).is_sorted());
            assert!(scale.code(values[0]) > BELOW);
            assert!(
                values
                    .windows(2)
                    .all(|pair| pair[0] != pair[1] || scale.code(pair[0]) == scale.code(pair[1]))
            );
        }
    }

    /// Codes only help where they differ. Values over 600 orders of magnitude are the hardest: they had 1757
    /// codes.
    #[test]
    fn codes_tell_most_values_apart_however_they_are_spread() {
        let mut rng = draw::seeded(13);
        for stretch in [1.0, 20.0, 1400.0] {
            let mut values: Vec<f64> =
                (0..3000).map(|_| libm::exp(stretch * (draw::unit(&mut rng) - 0.5))).collect();
            let scale = scale(&values);
            values.sort_unstable_by(f64::total_cmp);
            let mut codes: Vec<u16> = values.iter().map(|&value| scale.code(value)).collect();
            codes.dedup();
            assert!(codes.len() > 1500, "{} codes for 3000 values", codes.len());
        }
    }
}
