//! The extension module `moglb._moglb`: converts numbers and objects between Python and the engine.
//!
//! Users import the package `python/moglb`. This crate contains only the parts that must be fast or need the
//! engine: policies and their decisions, arm sets, fronts, links, environments and experiments. Decisions
//! about the interface, such as names, defaults and help texts, belong to the package.
//!
//! **A policy and its generator are always locked with the interpreter's own lock (GIL) released.** So no
//! thread waits for them while it holds the GIL and keeps all other threads from running. The few other locks
//! are held only for a moment and never around a call.
//!
//! A type whose name begins with `Py` is a class of the package, which has the name without the prefix. The
//! type of the engine behind it has that name, too: `PyArmSet` is `moglb.ArmSet` in Python and holds a
//! `moglb::ArmSet`.
//!
//! Every call has the same four steps: read the arguments while the GIL is held (`inputs`, `arrays`, `json`),
//! release the GIL, do the work on the locked engine (`call`), and convert the result or raise the error
//! (`errors`).

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

/// The engine of moglb: compiled classes and functions behind the package.
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

    /// Prepares the child of a fork, in which the threads of the parent do not exist: counts the fork, so
    /// that lost locks are recognized, has panics printed again, and keeps the engine on one core.
    #[pyfunction]
    fn _after_fork() {
        super::fork::count_fork();
        super::lent::forget_others();
        moglb::stay_on_one_core();
    }

    /// The largest size of one table of the engine, in bytes.
    ///
    /// When `moglb` is imported, the limit is the value of the environment variable ``MOGLB_MEMORY_LIMIT``.
    /// Without the variable, it is the memory of the machine or of its control group (cgroup), whichever is
    /// less.
    ///
    /// >>> import moglb
    /// >>> moglb.memory_limit() > 0
    /// True
    #[pyfunction]
    fn memory_limit() -> u64 {
        moglb::memory_limit()
    }

    /// Sets the largest size of one table of the engine, in bytes, for the whole process. Larger tables are
    /// refused with :class:`moglb.errors.TooLargeError`. No result depends on the limit.
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
