//! Directions along which no row loses likelihood and some rows gain without end (Albert and Anderson,
//! Biometrika 71:1, 1984).

use moglb::Link;

/// Moves smaller than this, relative to the largest one, count as zero.
const LEAST_RELATIVE_MOVE: f64 = 1e-6;

/// The number of rows that gain when scores move by `moves`, if no row loses however far they move; otherwise
/// none.
///
/// A reward of 1 gains from a rising score and a reward of 0 from a falling one. A reward between them, or
/// above 0 with a log link, finally loses in both directions. If there is such a direction, the steps of
/// Newton's method soon move along it: the scores of rows that it does not affect come to rest, the others
/// continue.
pub(super) fn gains(link: Link, rewards: &[f64], moves: &[f64]) -> Option<usize> {
    let largest = moves.iter().fold(0.0, |most: f64, by| most.max(by.abs()));
    if !(largest > 0.0 && largest.is_finite()) {
        return None;
    }
    let still = LEAST_RELATIVE_MOVE * largest;
    let mut moved = 0;
    for (&y, &by) in rewards.iter().zip(moves) {
        if by.abs() <= still {
            continue;
        }
        let gains = match link {
            Link::Logit | Link::Probit => (y >= 1.0 && by > 0.0) || (y <= 0.0 && by < 0.0),
            Link::Log => y <= 0.0 && by < 0.0,
            Link::Identity | Link::Custom(_) => false,
        };
        if !gains {
            return None;
        }
        moved += 1;
    }
    Some(moved)
}
