//! Problems in which one arm a round was played, with a known probability.

use super::arms::positions;
use super::reading::{Reading, matrix};
use super::rows::{CONTEXTS, MEASURES, arm, propensity, push_numbers, push_rewards};
use crate::findings::Fault;
use crate::{ArmTable, Content, Logged, Measures};
use moglb::Echo;
use std::collections::BTreeMap;

impl Reading<'_> {
    pub(super) fn logged(&mut self) -> Option<(Vec<String>, ArmTable, Content)> {
        let file = self.needs("logged", self.meta.logged.as_ref())?;
        let Some(arms) = self.arms()? else {
            // A list of arms made from the log would lack arms that were never played.
            let reason =
                format!("problem `{}` needs a table `arms` or a list `arm_ids`", Echo(&self.meta.id));
            self.findings.add_to_file(crate::meta::META, None, Fault::Meta { reason });
            return None;
        };
        let mut table = self.open(&file)?;
        let [id, arm_id, chance] =
            ["round_id", "arm_id", "propensity"].map(|name| table.column(name, self.findings));
        let (rewards, features) = (self.reward_columns(&table), self.context_columns(&table));
        let (id, arm_id, chance, rewards, (places, features)) = (id?, arm_id?, chance?, rewards?, features?);
        let ((raw, names), mut measured) = (table.prefixed("raw_"), vec![]);
        let positions = positions(&arms.ids);
        let mut seen = BTreeMap::new();
        let (mut played, mut propensities, mut contexts, mut values) = (vec![], vec![], vec![], vec![]);
        self.each_row(&mut table, |table, row, findings| {
            let round = row.cells[id].trim().to_owned();
            if seen.insert(round.clone(), ()).is_some() {
                table.tell(row, id, Fault::DuplicateRound { round }, findings);
            }
            played.push(arm((table, row), arm_id, &positions, findings).unwrap_or(0));
            propensities.push(propensity((table, row), chance, findings));
            push_numbers((table, row), &places, CONTEXTS, &mut contexts, findings);
            push_rewards((table, row), &rewards, &mut values, findings);
            push_numbers((table, row), &raw, MEASURES, &mut measured, findings);
        });
        self.measures = Measures { values: matrix(names.len(), measured), names };
        let contexts = matrix(features.len(), contexts);
        let rewards = matrix(rewards.len(), values);
        Some((features, arms, Content::Logged(Logged { contexts, arms: played, propensities, rewards })))
    }
}
