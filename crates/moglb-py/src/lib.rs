//! The extension module `moglb._moglb`: numbers and objects in and out of the engine, and nothing else.
//!
//! The package that people import is `python/moglb`. Here are only the parts that must be fast or need the engine: policies
//! and their decisions, arm sets, fronts, links, environments, experiments.
//!
//! **A policy and its generator are locked with the interpreter's own lock released**, always: so no thread waits for them
//! while it keeps all others from running. The few other locks are held for a moment and never around a call.
//!
//! A type whose name begins with `Py` is a class of the package, without that prefix there. The type of the engine
//! behind it has that name: `PyArmSet` holds a `moglb::ArmSet`.

mod arms;
mod arrays;
mod call;
mod certificate;
mod change;
mod decision;
mod engine;
mod environment;
mod errors;
mod evaluate;
mod experiment;
mod features;
mod files;
mod fork;
mod generator;
mod identify;
mod inputs;
mod items;
mod json;
mod ledger;
mod lent;
mod link;
mod link_failure;
mod locked;
mod monitor;
mod pareto;
mod plain;
mod policy;
mod pool;
mod python_policy;
mod replay;
mod sparse;

use pyo3::prelude::*;

/// The engine of moglb.
#[pymodule(gil_used = true)]
mod _moglb {
    use super::*;

    #[pymodule_export]
    use super::arms::PyArmSet;
    #[pymodule_export]
    use super::certificate::PyCertificate;
    #[pymodule_export]
    use super::decision::{PyDecision, PyDecisionBatch};
    #[pymodule_export]
    use super::environment::{PyEnvironment, environment_ids};
    #[pymodule_export]
    use super::evaluate::evaluate;
    #[pymodule_export]
    use super::experiment::{PyExperiment, PyLog, PyResults, play_cell, run, with_custom};
    #[pymodule_export]
    use super::features::PyFeatures;
    #[pymodule_export]
    use super::files::write_files;
    #[pymodule_export]
    use super::identify::{PyIdentifier, identifiers, identify};
    #[pymodule_export]
    use super::ledger::PyLedger;
    #[pymodule_export]
    use super::link::{PyLink, register_link};
    #[pymodule_export]
    use super::monitor::PyMonitor;
    #[pymodule_export]
    use super::pareto::{
        dominates, epsilon_indicator, front, gaps, hypervolume, jaccard, precision, project, recall,
    };
    #[pymodule_export]
    use super::policy::{PyPolicy, policies, recommended};
    #[pymodule_export]
    use super::python_policy::{play_custom, simulate};
    #[pymodule_export]
    use super::replay::replay;

    /// For a process that was forked: the threads of its parent are not there.
    #[pyfunction]
    fn _after_fork() {
        super::fork::count_fork();
        super::lent::forget_others();
        moglb::stay_on_one_core();
    }

    /// The most bytes that one table of the engine may take.
    ///
    /// When `moglb` is imported this is what the environment variable ``MOGLB_MEMORY_LIMIT`` gives, or else the memory of the
    /// machine or of its control group (cgroup), whichever is less.
    ///
    /// >>> import moglb
    /// >>> moglb.memory_limit() > 0
    /// True
    #[pyfunction]
    fn memory_limit() -> u64 {
        moglb::memory_limit()
    }

    /// Sets the most bytes that one table of the engine may take, for the whole process. Larger tables are refused with
    /// :class:`moglb.errors.TooLargeError`; no result depends on the limit.
    ///
    /// >>> import moglb
    /// >>> before = moglb.memory_limit()
    /// >>> moglb.set_memory_limit(1_000_000)
    /// >>> moglb.MoglbUcb(1000, ["click"])
    /// Traceback (most recent call last):
    ///     ...
    /// moglb.errors.TooLargeError: 1000 rows of 1000 values are too many for this machine or its memory limit
    /// >>> moglb.set_memory_limit(before)
    #[pyfunction]
    fn set_memory_limit(n_bytes: &Bound<'_, PyAny>) -> PyResult<()> {
        let given = n_bytes.extract::<u64>().ok().filter(|&n_bytes| n_bytes > 0);
        let wrong = || {
            let kind = errors::kind_of(n_bytes);
            let message = format!("the memory limit must be a number of bytes from 1 to 2⁶⁴ − 1, got {kind}");
            errors::raised(n_bytes.py(), "input-type", &message)
        };
        moglb::set_memory_limit(given.ok_or_else(wrong)?);
        Ok(())
    }

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        super::lent::install_hook();
        moglb_sim::limit_memory().map_err(|error| errors::stopped(module.py(), &error))
    }

    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");
}
