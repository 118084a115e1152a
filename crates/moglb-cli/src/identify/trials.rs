//! The tidy table of all trials of finding the front: a row for each trial.
//!
//! The first columns identify the run: experiment, environment, sizes and identifier, with parameters as
//! JSON. The others describe the trial: its samples, whether it stopped by itself, whether its answer is
//! right, the sizes of the true front and of the answer, the numbers of missed and wrong arms, and the
//! Jaccard index of the two sets.

use crate::cell::safe;
use anyhow::Result;
use moglb_sim::Identified;

/// The columns.
const HEAD: &str = "\
    experiment,environment,environment_params,dim,arms,objectives,identifier,params,trial,\
    samples,stopped,success,front_size,answer_size,missed,wrong,jaccard";

/// Returns the table as CSV.
pub fn csv(identified: &Identified) -> Result<Vec<u8>> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(HEAD.split(','))?;
    let summary = identified.summary();
    for (run, info) in identified.runs.iter().zip(&summary.runs) {
        let [world, params] = [&info.environment_params, &info.params].map(serde_json::to_string);
        let (world, params) = (world?, params?);
        for (trial, one) in run.trials.iter().enumerate() {
            let sizes = [info.dim, info.arms, info.objectives].map(|size| size.to_string());
            let texts = [&identified.experiment.name, &info.environment, &world];
            let cells = texts.into_iter().chain(&sizes).chain([&info.identifier, &params]);
            writer.write_record(cells.map(|cell| safe(cell).into_owned()).chain([
                trial.to_string(),
                one.samples.to_string(),
                one.stopped.to_string(),
                one.success.to_string(),
                one.front_size.to_string(),
                one.answer_size.to_string(),
                one.missed.to_string(),
                one.wrong.to_string(),
                one.jaccard.to_string(),
            ]))?;
        }
    }
    Ok(writer.into_inner()?)
}
