//! Directions along which no row loses likelihood and some gain forever (Albert and Anderson, Biometrika 71:1, 1984).

use moglb::Link;

/// Moves smaller than this, relative to the largest, are none.
const LEAST_RELATIVE_MOVE: f64 = 1e-6;

/// How many rows gain when scores move so, if none loses however far they go; otherwise nothing.
///
/// A reward of 1 gains from a rising score and one of 0 from a falling one; a reward between them, or above 0 with a log
/// link, loses either way in the end. The moves of a step of Newton's method are along such a direction before long if there is one:
/// rows that it leaves alone come to rest, the others go on.
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
