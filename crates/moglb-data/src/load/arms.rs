//! Tables of arms, with mean rewards if the arms are the whole problem, otherwise with features only.

use super::reading::{Reading, matrix};
use super::rows::{ARMS, MEASURES, push_numbers, push_rewards};
use crate::findings::Fault;
use crate::{ArmTable, Content, Measures};
use moglb::Matrix;
use std::collections::BTreeMap;

impl Reading<'_> {
    /// A problem of one fixed arm set with known means.
    pub(super) fn fixed_arms(&mut self) -> Option<(Vec<String>, ArmTable, Content)> {
        let file = self.needs("arms", self.meta.arms.as_ref())?;
        let (arms, means) = self.arm_table(&file, true)?;
        if arms.features.is_empty() {
            self.findings.add_to_file(&file, Some("a_*"), Fault::NoFeatures);
            return None;
        }
        Some((Vec::new(), arms, Content::Arms(means)))
    }

    /// The arms of a problem, in the order of `arm_ids`, or in the order of the table without such a list.
    /// Without a table the arms have ids only; with neither the inner result is none.
    pub(super) fn arms(&mut self) -> Option<Option<ArmTable>> {
        let stated = self.meta.arm_ids();
        let Some(file) = self.meta.arms.clone() else {
            return Some(stated.map(|ids| ArmTable { names: ids.clone(), ids, ..Default::default() }));
        };
        let (table, _) = self.arm_table(&file, false)?;
        Some(Some(match stated {
            Some(ids) => self.choose(&file, &table, &ids)?,
            None => table,
        }))
    }

    /// Some arms of a table, in the order of `ids`.
    fn choose(&mut self, file: &str, table: &ArmTable, ids: &[String]) -> Option<ArmTable> {
        let positions = positions(&table.ids);
        let found: Vec<Option<usize>> = ids.iter().map(|id| positions.get(id).copied()).collect();
        for (id, _) in ids.iter().zip(&found).filter(|(_, found)| found.is_none()) {
            self.findings.add_to_file(file, None, Fault::MissingArm { arm: id.clone() });
        }
        let found: Vec<usize> = found.into_iter().collect::<Option<_>>()?;
        let values = match table.features.len() {
            0 => Vec::new(),
            _ => found.iter().flat_map(|&k| table.values.row(k)).copied().collect(),
        };
        Some(ArmTable {
            ids: ids.to_vec(),
            names: found.iter().map(|&k| table.names[k].clone()).collect(),
            features: table.features.clone(),
            values: matrix(table.features.len(), values),
        })
    }

    /// Reads a table of arms, and their mean rewards if `with_means` is set.
    pub(super) fn arm_table(&mut self, file: &str, with_means: bool) -> Option<(ArmTable, Matrix)> {
        let mut table = self.open(file)?;
        let id = table.column("arm_id", self.findings);
        let (name, design) = (table.find("name"), table.find("design_propensity"));
        let (features, names) = table.prefixed("a_");
        let rewards = if with_means { self.reward_columns(&table)? } else { Vec::new() };
        let (places, measures) = if with_means { table.prefixed("raw_") } else { Default::default() };
        let id = id?;
        let (mut arms, mut values, mut means, mut measured) =
            (ArmTable::default(), Vec::new(), Vec::new(), Vec::new());
        let mut seen = BTreeMap::new();
        self.each_row(&mut table, |table, row, findings| {
            let arm = row.cells[id].trim().to_owned();
            if arm.is_empty() {
                table.tell(row, id, Fault::Blank, findings);
            } else if seen.insert(arm.clone(), ()).is_some() {
                table.tell(row, id, Fault::DuplicateArm { arm: arm.clone() }, findings);
            }
            if let Some(column) = design {
                super::rows::propensity((table, row), column, findings);
            }
            arms.names.push(name.map_or_else(|| arm.clone(), |column| row.cells[column].to_owned()));
            arms.ids.push(arm);
            push_numbers((table, row), &features, ARMS, &mut values, findings);
            push_rewards((table, row), &rewards, &mut means, findings);
            push_numbers((table, row), &places, MEASURES, &mut measured, findings);
        });
        let n_features = names.len();
        arms.features = names;
        arms.values = matrix(n_features, values);
        if with_means {
            self.measures = Measures { values: matrix(measures.len(), measured), names: measures };
        }
        Some((arms, matrix(rewards.len(), means)))
    }
}

/// The position of each arm by its id.
pub(super) fn positions(ids: &[String]) -> BTreeMap<String, usize> {
    ids.iter().enumerate().map(|(k, id)| (id.clone(), k)).collect()
}
