//! Problems in which every round has its own arms.

use super::arms::positions;
use super::reading::{Reading, matrix};
use super::rows::{CONTEXTS, MEASURES, arm, push_numbers, push_rewards};
use crate::findings::Fault;
use crate::{ArmTable, Candidates, Content, Measures};
use std::collections::BTreeMap;

impl Reading<'_> {
    pub(super) fn candidates(&mut self) -> Option<(Vec<String>, ArmTable, Content)> {
        let file = self.needs("candidates", self.meta.candidates.as_ref())?;
        let known = match self.meta.arm_features.clone() {
            Some(file) => Some(self.arm_table(&file, false)?.0),
            None => None,
        };
        let mut table = self.open(&file)?;
        let id = table.column("round_id", self.findings);
        let (rewards, features) = (self.reward_columns(&table), self.context_columns(&table));
        let arm_id = match known {
            Some(_) => Some(table.column("arm_id", self.findings)?),
            None => None,
        };
        let (id, rewards, (places, features)) = (id?, rewards?, features?);
        let ((raw, names), mut measured) = (table.prefixed("raw_"), vec![]);
        let positions = known.as_ref().map(|arms| positions(&arms.ids)).unwrap_or_default();
        let (mut seen, mut current, mut n_rows) = (BTreeMap::new(), None, 0);
        let (mut starts, mut arms, mut contexts, mut values) = (vec![], vec![], vec![], vec![]);
        self.each_row(&mut table, |table, row, findings| {
            let round = row.cells[id].trim().to_owned();
            if current.as_ref() != Some(&round) {
                // The rows of a round are consecutive.
                if seen.insert(round.clone(), ()).is_some() {
                    table.tell(row, id, Fault::DuplicateRound { round: round.clone() }, findings);
                }
                starts.push(n_rows);
                current = Some(round);
            }
            if let Some(column) = arm_id {
                arms.push(arm((table, row), column, &positions, findings).unwrap_or(0));
            }
            push_numbers((table, row), &places, CONTEXTS, &mut contexts, findings);
            push_rewards((table, row), &rewards, &mut values, findings);
            push_numbers((table, row), &raw, MEASURES, &mut measured, findings);
            n_rows += 1;
        });
        starts.push(n_rows);
        self.measures = Measures { values: matrix(names.len(), measured), names };
        let content = Candidates {
            starts,
            contexts: matrix(features.len(), contexts),
            arms: arm_id.map(|_| arms),
            rewards: matrix(rewards.len(), values),
        };
        Some((features, known.unwrap_or_default(), Content::Candidates(content)))
    }
}
