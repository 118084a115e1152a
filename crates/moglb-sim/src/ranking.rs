//! Rankings: the runs on each environment by their Pareto regret, compared trial by trial.

use crate::{Estimate, Run, Summary, json};
use std::collections::BTreeMap;

/// The policy that the others are compared with, if it was run.
const MEASURE: &str = "moglb-ucb";

/// The runs on one environment, the smallest mean Pareto regret first.
///
/// Example: [`run`].
///
/// [`run`]: crate::run
#[derive(Debug, Clone, PartialEq)]
pub struct Ranking<'a> {
    /// The runs with their comparisons.
    pub places: Vec<Place<'a>>,
    /// The position in `places` of the run that the others are compared with: that of MOGLB-UCB, or the
    /// first.
    pub measure: usize,
}

/// A run of a ranking, with its comparisons.
///
/// Example: [`run`].
///
/// [`run`]: crate::run
#[derive(Debug, Clone, PartialEq)]
pub struct Place<'a> {
    /// The run.
    pub run: &'a Run,
    /// The position of the run in the summary.
    pub index: usize,
    /// The Pareto regret after the last round.
    pub regret: Estimate,
    /// The regret minus that of the first place, paired trial by trial.
    pub behind_first: Estimate,
    /// The regret minus that of the measure, paired trial by trial.
    pub beyond_measure: Estimate,
    /// The time per round in microseconds, with simulation and metrics.
    pub microseconds: f64,
}

impl Place<'_> {
    /// Returns true if the interval of a paired difference excludes zero.
    pub fn tells(difference: Estimate) -> bool {
        difference.mean.abs() > difference.ci95 && difference.ci95 > 0.0
    }
}

impl Run {
    /// Returns true if another run was on the same environment with the same size.
    pub fn is_beside(&self, other: &Run) -> bool {
        (&self.environment, self.dim, self.arms, self.objectives, &self.environment_params)
            == (&other.environment, other.dim, other.arms, other.objectives, &other.environment_params)
    }
}

impl Summary {
    /// The positions of the runs on each environment of each size, in the order of the experiment.
    pub fn groups(&self) -> Vec<Vec<usize>> {
        let key = |run: &Run| {
            let params = json::text(&run.environment_params);
            (run.environment.clone(), run.dim, run.arms, run.objectives, params)
        };
        grouped(self.runs.iter().map(key))
    }

    /// The rankings, one for each environment, in the order of the experiment.
    pub fn rankings(&self) -> Vec<Ranking<'_>> {
        self.groups().into_iter().map(|group| self.ranking(group)).collect()
    }

    /// The ranking of the runs at some positions.
    fn ranking(&self, group: Vec<usize>) -> Ranking<'_> {
        let regrets = |index: usize| &self.runs[index].last.pareto_regret[..];
        let regret = |index: usize| Estimate::of(regrets(index));
        let mut places: Vec<(f64, usize)> = group.iter().map(|&index| (regret(index).mean, index)).collect();
        // The sort is stable: of equal runs the first in the experiment comes first.
        places.sort_by(|a, b| a.0.total_cmp(&b.0));
        let group: Vec<usize> = places.into_iter().map(|(_, index)| index).collect();
        let measure = group.iter().position(|&index| self.runs[index].policy == MEASURE).unwrap_or(0);
        let difference = |a: usize, b: usize| {
            Estimate::of(&regrets(a).iter().zip(regrets(b)).map(|(a, b)| a - b).collect::<Vec<f64>>())
        };
        let place = |&index: &usize| {
            let run = &self.runs[index];
            Place {
                run,
                index,
                regret: regret(index),
                behind_first: difference(index, group[0]),
                beyond_measure: difference(index, group[measure]),
                microseconds: 1e6 * run.seconds / run.rounds as f64,
            }
        };
        Ranking { places: group.iter().map(place).collect(), measure }
    }
}

/// Groups the positions of equal keys, in the order in which the keys first occur. A sorted map finds the
/// group of a key, instead of a comparison with all other keys: there can be thousands.
pub(crate) fn grouped<K: Ord>(keys: impl Iterator<Item = K>) -> Vec<Vec<usize>> {
    let (mut groups, mut places): (Vec<Vec<usize>>, BTreeMap<K, usize>) = (Vec::new(), BTreeMap::new());
    for (index, key) in keys.enumerate() {
        let place = *places.entry(key).or_insert(groups.len());
        if place == groups.len() {
            groups.push(Vec::new());
        }
        groups[place].push(index);
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Plan, Unwatched, run};
    use std::cell::Cell;
    use std::cmp::Ordering;

    /// A key that counts how often it is compared.
    struct Counted<'a>(usize, &'a Cell<usize>);

    impl PartialEq for Counted<'_> {
        fn eq(&self, other: &Self) -> bool {
            self.cmp(other).is_eq()
        }
    }

    impl Eq for Counted<'_> {}

    impl PartialOrd for Counted<'_> {
        fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
            Some(self.cmp(other))
        }
    }

    impl Ord for Counted<'_> {
        fn cmp(&self, other: &Self) -> Ordering {
            self.1.set(self.1.get() + 1);
            self.0.cmp(&other.0)
        }
    }

    #[test]
    fn groups_are_in_order_and_found_without_comparing_all() {
        assert_eq!(grouped(["b", "a", "b", "c", "a"].into_iter()), [vec![0, 2], vec![1, 4], vec![3]]);
        let count = Cell::new(0);
        let groups = grouped((0..4000).map(|key| Counted(key, &count)));
        assert_eq!(groups.len(), 4000);
        // Comparing every key with every other takes 8 million comparisons; a search in a sorted map takes
        // some 20 for each key.
        assert!(count.get() < 4000 * 100, "{} comparisons", count.get());
    }

    #[test]
    fn places_are_by_regret_and_differences_are_paired() {
        let plan = Plan::from_toml(
            "horizon = 300\ntrials = 4\nenvironments = [{ id = 'paper', dim = { each = [3, 4] } }]\n\
             policies = [{ id = 'random' }, { id = 'moglb-ucb' }, { id = 'p-ucb' }]",
        );
        let summary = run(&plan.unwrap(), 1, None, &Unwatched).unwrap().summary();
        let rankings = summary.rankings();
        assert_eq!(rankings.len(), 2);
        for ranking in &rankings {
            assert_eq!(ranking.places.len(), 3);
            assert!(ranking.places.windows(2).all(|two| two[0].regret.mean <= two[1].regret.mean));
            assert_eq!(ranking.places[ranking.measure].run.policy, "moglb-ucb");
            assert_eq!(ranking.places[0].behind_first, Estimate { mean: 0.0, ci95: 0.0 });
            for place in &ranking.places {
                let expected = place.regret.mean - ranking.places[ranking.measure].regret.mean;
                assert!((place.beyond_measure.mean - expected).abs() < 1e-9);
                assert!(place.microseconds > 0.0 && place.run == &summary.runs[place.index]);
            }
        }
        assert!(
            !Place::tells(Estimate { mean: 0.5, ci95: 1.0 })
                && Place::tells(Estimate { mean: -2.0, ci95: 1.0 })
        );
    }
}
