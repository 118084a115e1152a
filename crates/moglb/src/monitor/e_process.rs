//! Evidence by betting: a test that may be evaluated in any round.

use moglb_core::saved::{check_rounds, damaged};
use moglb_math::Error;
use serde::{Deserialize, Serialize};

/// The shares of wealth that are staked. Even the largest one leaves some wealth when r is −1.3.
const STAKES: [f64; 3] = [0.0625, 0.25, 0.75];

/// The cap on wealth: more than any level needs, and far from overflow.
const MOST: f64 = 1e100;

/// Evidence that numbers r ≤ 1, at least −1.3, have had a mean above zero since some round.
///
/// For each stake λ, one gambler begins in each round j with a share w_j = 1/(j(j+1)) of the
/// capital and bets it on r from then on:
///
/// ```text
/// M_t = (M_{t−1} + w_t)·(1 + λ·r_t)
/// ```
///
/// If E[r_t | past] ≤ 0 in all rounds, M_t plus the capital that is not staked yet is a nonnegative
/// supermartingale that begins at one, and so is the mean over stakes. By Ville's inequality, the
/// probability that it ever reaches 1/α is at most α, over all t.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Bet {
    rounds: u64,
    wealth: [f64; STAKES.len()],
    /// The largest mean over stakes so far.
    most: f64,
}

impl Bet {
    /// Adds the next number r.
    pub fn on(&mut self, r: f64) {
        self.rounds += 1;
        let t = self.rounds as f64;
        let share = 1.0 / (t * (t + 1.0));
        for (wealth, stake) in self.wealth.iter_mut().zip(STAKES) {
            *wealth = ((*wealth + share) * (1.0 + stake * r)).min(MOST);
        }
        let sum: f64 = self.wealth.iter().sum();
        self.most = self.most.max(sum / STAKES.len() as f64);
    }

    /// Returns the largest e-value so far against the hypothesis that means were never above zero.
    pub fn evidence(&self) -> f64 {
        self.most
    }

    /// Rejects values that no sequence of numbers can produce.
    pub fn check(&self) -> Result<(), Error> {
        check_rounds(self.rounds)?;
        let fine = |value: f64| (0.0..=MOST).contains(&value);
        if self.wealth.into_iter().all(fine) && fine(self.most) {
            return Ok(());
        }
        Err(damaged(&"the evidence of a monitor is not possible"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use moglb_math::draw;

    /// Ville's inequality at α = 0.05. If the probability were exactly 5 %, more than 79 alarms in
    /// 1000 runs would be a 1e-4 event.
    #[test]
    fn fair_numbers_make_no_evidence() {
        let mut rng = draw::seeded(1);
        let mut alarms = 0;
        for _ in 0..1000 {
            let mut bet = Bet::default();
            (0..2000).for_each(|_| bet.on(if draw::unit(&mut rng) < 0.3 { 0.7 } else { -0.3 }));
            alarms += u32::from(bet.evidence() >= 20.0);
        }
        assert!(alarms <= 79, "{alarms} of 1000");
    }

    #[test]
    fn a_late_change_is_noticed() {
        let mut rng = draw::seeded(2);
        let mut bet = Bet::default();
        (0..5000).for_each(|_| bet.on(draw::unit(&mut rng) - 0.6));
        assert!(bet.evidence() < 20.0, "{}", bet.evidence());
        (0..500).for_each(|_| bet.on(draw::unit(&mut rng) - 0.3));
        assert!(bet.evidence() > 1e3, "{}", bet.evidence());
        (0..100_000).for_each(|_| bet.on(1.0));
        assert!(bet.evidence().is_finite() && bet.check().is_ok());
    }
}
