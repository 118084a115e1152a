//! Replay of logs to policies: reads a configuration from Python, and returns the results as JSON.

use crate::errors::{raised, stopped};
use crate::json;
use moglb_sim::ReplayConfig;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Estimates the rewards of policies while they learn from a log. Users call `moglb.replay`.
#[pyfunction]
pub(crate) fn replay(config: &Bound<'_, PyDict>, threads: usize) -> PyResult<String> {
    let py = config.py();
    let config: ReplayConfig = json::config("the configuration", config)?;
    let found = py.detach(|| moglb_sim::replay(&config, threads)).map_err(|error| stopped(py, &error))?;
    serde_json::to_string(&found).map_err(|error| raised(py, "parameters", &error.to_string()))
}
