//! Problems in which the reward of every arm is known in every round.

use super::arms::positions;
use super::reading::{Reading, matrix};
use super::rows::{CONTEXTS, MEASURES, arm, push_numbers, push_rewards};
use crate::findings::Fault;
use crate::{ArmTable, Content, Full, Measures};
use moglb::{Echo, Matrix};
use std::collections::BTreeMap;

/// The rounds: their ids in order, the position of each id, contexts and splits.
struct Rounds {
    ids: Vec<String>,
    positions: BTreeMap<String, usize>,
    contexts: Matrix,
    splits: Option<Vec<String>>,
}

impl Reading<'_> {
    pub(super) fn full(&mut self) -> Option<(Vec<String>, ArmTable, Content)> {
        let rounds = self.needs("rounds", self.meta.rounds.as_ref());
        let rewards = self.needs("rewards", self.meta.rewards.as_ref());
        let (rounds, rewards) = (rounds?, rewards?);
        let arms = self.arms()?;
        if arms.is_none() {
            let reason =
                format!("problem `{}` needs a table `arms` or a list `arm_ids`", Echo(&self.meta.id));
            self.findings.add_to_file(crate::meta::META, None, Fault::Meta { reason });
        }
        let (features, rounds) = self.rounds(&rounds)?;
        let arms = arms?;
        let rewards = self.rewards(&rewards, &rounds, &arms)?;
        let content = Full { contexts: rounds.contexts, rewards, splits: rounds.splits };
        Some((features, arms, Content::Full(content)))
    }

    fn rounds(&mut self, file: &str) -> Option<(Vec<String>, Rounds)> {
        let mut table = self.open(file)?;
        let id = table.column("round_id", self.findings);
        let features = self.context_columns(&table);
        let (id, (places, features)) = (id?, features?);
        let split = table.find("split");
        let (mut ids, mut seen, mut contexts) = (Vec::new(), BTreeMap::new(), Vec::new());
        let mut splits = split.map(|_| Vec::new());
        self.each_row(&mut table, |table, row, findings| {
            let round = row.cells[id].trim().to_owned();
            if seen.insert(round.clone(), ids.len()).is_some() {
                table.tell(row, id, Fault::DuplicateRound { round: round.clone() }, findings);
            }
            ids.push(round);
            if let (Some(column), Some(splits)) = (split, &mut splits) {
                splits.push(row.cells[column].trim().to_owned());
            }
            push_numbers((table, row), &places, CONTEXTS, &mut contexts, findings);
        });
        let contexts = matrix(features.len(), contexts);
        Some((features, Rounds { ids, positions: seen, contexts, splits }))
    }

    fn rewards(&mut self, file: &str, rounds: &Rounds, arms: &ArmTable) -> Option<Matrix> {
        let mut table = self.open(file)?;
        let (round_id, arm_id) =
            (table.column("round_id", self.findings), table.column("arm_id", self.findings));
        let columns = self.reward_columns(&table);
        let (round_id, arm_id, columns) = (round_id?, arm_id?, columns?);
        let (places, names) = table.prefixed("raw_");
        let (positions, n_arms, m) = (positions(&arms.ids), arms.ids.len(), columns.len());
        // Two short files can require a table that is larger than the memory: one row for each round and arm.
        if let Err(error) = moglb::check_memory(rounds.ids.len().saturating_mul(n_arms), m + names.len() + 1)
        {
            let reason = error.to_string();
            self.findings.add_to_file(file, None, Fault::Unreadable { reason });
            return None;
        }
        let mut values = vec![f64::NAN; rounds.ids.len() * n_arms * m];
        let mut measured = vec![f64::NAN; rounds.ids.len() * n_arms * names.len()];
        let mut known = vec![false; rounds.ids.len() * n_arms];
        let mut reward = Vec::new();
        self.each_row(&mut table, |table, row, findings| {
            let got = row.cells[round_id].trim();
            let Some(&round) = rounds.positions.get(got) else {
                return table.tell(row, round_id, Fault::UnknownRound { got: got.into() }, findings);
            };
            let Some(arm) = arm((table, row), arm_id, &positions, findings) else { return };
            let mine = &mut known[round * n_arms..(round + 1) * n_arms];
            if mine[arm] {
                let fault = Fault::DuplicateRound { round: format!("{got}, arm {}", arms.ids[arm]) };
                return table.tell(row, arm_id, fault, findings);
            }
            if let Some(next) = mine.iter().position(|known| !known).filter(|&next| next != arm) {
                let (expected, got) = (arms.ids[next].clone(), arms.ids[arm].clone());
                table.tell(row, arm_id, Fault::ArmsOutOfOrder { expected, got }, findings);
            }
            mine[arm] = true;
            reward.clear();
            push_rewards((table, row), &columns, &mut reward, findings);
            values[(round * n_arms + arm) * m..][..m].copy_from_slice(&reward);
            reward.clear();
            push_numbers((table, row), &places, MEASURES, &mut reward, findings);
            measured[(round * n_arms + arm) * places.len()..][..places.len()].copy_from_slice(&reward);
        });
        for k in known.iter().enumerate().filter(|(_, known)| !**known).map(|(k, _)| k) {
            let (round, arm) = (rounds.ids[k / n_arms].clone(), arms.ids[k % n_arms].clone());
            self.findings.add_to_file(file, None, Fault::MissingReward { round, arm });
        }
        self.measures = Measures { values: matrix(names.len(), measured), names };
        Some(matrix(m, values))
    }
}
