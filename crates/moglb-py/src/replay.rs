//! Logs that are replayed to policies: a configuration in, what was found out as JSON.

use crate::errors::{raised, stopped};
use crate::json;
use moglb_sim::ReplayConfig;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// What policies were worth while they learned from a log; `moglb.replay` is what people call.
#[pyfunction]
pub(crate) fn replay(config: &Bound<'_, PyDict>, threads: usize) -> PyResult<String> {
    let py = config.py();
    let config: ReplayConfig = json::config("the configuration", config)?;
    let found = py.detach(|| moglb_sim::replay(&config, threads)).map_err(|error| stopped(py, &error))?;
    serde_json::to_string(&found).map_err(|error| raised(py, "parameters", &error.to_string()))
}
