//! The engine's part of the class `Features`: makes contexts from raw rows.

use crate::arms::PyArmSet;
use crate::arrays::{positions, to_array, vector};
use crate::errors::{kind_of, raised, refused};
use crate::items::Items;
use crate::json::{self, text_of};
use crate::sparse::{Table, csr, is_sparse, to_scipy};
use moglb::{ArmId, FeaturesConfig, Matrix, Named, NamedValue, Numbers, RawRow};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Makes contexts from raw rows. Users call it `moglb.features.Features`.
#[pyclass(frozen, subclass, name = "Features", module = "moglb._moglb")]
pub(crate) struct PyFeatures {
    features: moglb::Features,
    /// The number of contexts that were shortened so far.
    clipped: AtomicU64,
}

/// The named features of one row, each with its value.
type Names = Vec<(String, Word)>;

/// The value of a named feature: a word or a number.
enum Word {
    Text(String),
    Number(f64),
}

impl PyFeatures {
    /// The Python object of checked features.
    fn of(features: moglb::Features) -> Self {
        Self { features, clipped: AtomicU64::new(0) }
    }
}

#[pymethods]
impl PyFeatures {
    /// Checks a configuration, a dictionary.
    #[new]
    fn new(config: &Bound<'_, PyDict>) -> PyResult<Self> {
        let py = config.py();
        let config: FeaturesConfig = json::config("the features", config)?;
        Ok(Self::of(moglb::Features::new(config).map_err(|error| refused(py, &error))?))
    }

    /// The number of features of each context.
    #[getter]
    fn dim(&self) -> usize {
        self.features.dim()
    }

    /// The number by which all contexts are divided; None until it is frozen.
    #[getter]
    fn scale(&self) -> Option<f64> {
        self.features.config().scale
    }

    /// The number of contexts that had to be shortened since this object was made.
    #[getter]
    fn clipped(&self) -> u64 {
        self.clipped.load(Ordering::Relaxed)
    }

    /// The columns that each step appends: the index of the first, and one past the last. Later steps and the
    /// layout refer to columns by these indices.
    #[getter]
    fn columns_of_steps(&self) -> Vec<(usize, usize)> {
        self.features.columns_of_steps().into_iter().map(|range| (range.start, range.end)).collect()
    }

    /// The configuration with the scale, as JSON with the version of its format. Every bit of the numbers is
    /// kept.
    fn to_json(&self) -> String {
        self.features.to_json()
    }

    /// The configuration in a text of `to_json`, as JSON.
    #[staticmethod]
    fn _config(py: Python<'_>, text: &str) -> PyResult<String> {
        let features = moglb::Features::from_json(text).map_err(|error| refused(py, &error))?;
        Ok(json::written(features.config()))
    }

    /// The scale for a sample of raw rows: a quantile of the norms of their contexts.
    fn _frozen_scale(
        &self,
        contexts: &Bound<'_, PyAny>,
        arms: Option<&Bound<'_, PyAny>>,
        arm_features: Option<&Bound<'_, PyAny>>,
        named: Option<&Bound<'_, PyAny>>,
        quantile: f64,
    ) -> PyResult<Option<f64>> {
        let py = contexts.py();
        let frozen = self.on_rows(contexts, arms, arm_features, named, |features, rows| {
            features.clone().frozen(rows, quantile)
        })?;
        Ok(frozen.map_err(|error| refused(py, &error))?.config().scale)
    }

    /// The contexts of raw rows, one per row: a matrix of SciPy with `sparse`, or an array.
    fn _map<'py>(
        &self,
        contexts: &Bound<'py, PyAny>,
        arms: Option<&Bound<'py, PyAny>>,
        arm_features: Option<&Bound<'py, PyAny>>,
        named: Option<&Bound<'py, PyAny>>,
        sparse: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = contexts.py();
        let mapped = self.on_rows(contexts, arms, arm_features, named, moglb::Features::map)?;
        let mapped = mapped.map_err(|error| refused(py, &error))?;
        self.clipped.fetch_add(mapped.clipped as u64, Ordering::Relaxed);
        if sparse {
            return to_scipy(py, &mapped.contexts);
        }
        let n_columns = mapped.contexts.n_columns();
        let rows: Vec<f64> = mapped.contexts.rows().flat_map(moglb::SparseRow::to_dense).collect();
        let matrix = Matrix::new(n_columns, rows).map_err(|error| refused(py, &error))?;
        Ok(to_array(py, &matrix)?.into_any())
    }

    /// The arms of one decision, made from one raw context for all arms and the features of each arm.
    fn _arms(
        &self,
        context: &Bound<'_, PyAny>,
        arm_features: Option<&Bound<'_, PyAny>>,
        named: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PyArmSet> {
        let py = context.py();
        let (dense, sparse);
        let context: Numbers<'_> = if is_sparse(context) {
            sparse = csr(context, "context", 1)?;
            sparse.row(0).into()
        } else {
            dense = vector(context, "context")?;
            dense.as_slice()?.into()
        };
        let table = arm_features.map(|features| Table::read(features, "arm_features")).transpose()?;
        let own = table.as_ref().map(Table::rows).unwrap_or_default();
        let names = named.map(names_of_rows).transpose()?.unwrap_or_default();
        let mut rows = self.features.rows_of(context, &own);
        if rows.is_empty() {
            // The arms differ in their named features only.
            let row = |arm: usize| RawRow { arm: ArmId(arm), context, ..RawRow::default() };
            rows = (0..names.len()).map(row).collect();
        }
        let borrowed = borrow_names(&names);
        give_names(py, &mut rows, &borrowed, names.len() == 1)?;
        let (set, clipped) = py.detach(|| self.features.arms(&rows)).map_err(|error| refused(py, &error))?;
        self.clipped.fetch_add(clipped as u64, Ordering::Relaxed);
        Ok(PyArmSet { set: Arc::new(set) })
    }
}

impl PyFeatures {
    /// Runs `work` on the raw rows of a caller, after checking that all tables have the same number of rows.
    fn on_rows<R: Send>(
        &self,
        contexts: &Bound<'_, PyAny>,
        arms: Option<&Bound<'_, PyAny>>,
        arm_features: Option<&Bound<'_, PyAny>>,
        named: Option<&Bound<'_, PyAny>>,
        work: impl FnOnce(&moglb::Features, &[RawRow<'_>]) -> R + Send,
    ) -> PyResult<R> {
        let py = contexts.py();
        let contexts = Table::read(contexts, "contexts")?;
        let contexts = contexts.rows();
        let table = arm_features.map(|features| Table::read(features, "arm_features")).transpose()?;
        let own = table.as_ref().map(Table::rows);
        let ids = arms.map(|arms| positions(arms, "arms")).transpose()?;
        let names = named.map(names_of_rows).transpose()?.unwrap_or_default();
        let n_rows = contexts.len();
        for (what, length) in
            [("arms", ids.as_ref().map(Vec::len)), ("arm_features", own.as_ref().map(Vec::len))]
        {
            if let Some(length) = length.filter(|&length| length != n_rows) {
                let message = format!("{n_rows} contexts and {length} {what} do not go together");
                return Err(raised(py, "rows", &message));
            }
        }
        if ids.is_none() && self.features.config().layout != moglb::Layout::default() {
            let message = "a layout with blocks needs arms=, the position of each row's arm";
            return Err(raised(py, "parameters", message));
        }
        let row = |k: usize| RawRow {
            arm: ArmId(ids.as_ref().map_or(0, |ids| ids[k])),
            context: contexts[k],
            arm_features: own.as_ref().map_or_else(Numbers::default, |own| own[k]),
            named: &[],
        };
        let mut rows: Vec<RawRow<'_>> = (0..n_rows).map(row).collect();
        let borrowed = borrow_names(&names);
        give_names(py, &mut rows, &borrowed, false)?;
        Ok(py.detach(|| work(&self.features, &rows)))
    }
}

/// Reads named features: one dictionary for all rows, or a list with one for each row.
fn names_of_rows(object: &Bound<'_, PyAny>) -> PyResult<Vec<Names>> {
    if let Ok(names) = object.cast::<PyDict>() {
        return Ok(vec![names_of_row(names)?]);
    }
    let refuse = |object: &Bound<'_, PyAny>| {
        let message = format!("named must be a dictionary or a list of them, got {}", kind_of(object));
        raised(object.py(), "input-type", &message)
    };
    let mut rows = Vec::new();
    if object.try_iter().is_err() {
        return Err(refuse(object));
    }
    for row in object.extract::<Items<Bound<'_, PyAny>>>()?.0 {
        rows.push(names_of_row(row.cast::<PyDict>().map_err(|_| refuse(&row))?)?);
    }
    Ok(rows)
}

/// Reads the named features of one row.
fn names_of_row(names: &Bound<'_, PyDict>) -> PyResult<Names> {
    let mut read = Vec::with_capacity(names.len());
    // A copy of the items: a method of a value may change the dictionary.
    for item in names.items().iter() {
        let (name, value) = item.extract::<(Bound<'_, PyAny>, Bound<'_, PyAny>)>()?;
        let wrong = |object: &Bound<'_, PyAny>| {
            let message =
                format!("a named feature is a word or a number by its name, got {}", kind_of(object));
            raised(object.py(), "input-type", &message)
        };
        let key = text_of("a name", name.cast::<PyString>().map_err(|_| wrong(&name))?)?;
        let word = match value.cast::<PyString>() {
            Ok(text) => Word::Text(text_of("a word", text)?),
            Err(_) => Word::Number(value.extract().map_err(|_| wrong(&value))?),
        };
        read.push((key, word));
    }
    Ok(read)
}

/// The named features of all rows in the engine's types, which borrow the text.
fn borrow_names(names: &[Names]) -> Vec<Vec<Named<'_>>> {
    names.iter().map(|row| row.iter().map(named).collect()).collect()
}

/// One named feature in the engine's types.
fn named((name, word): &(String, Word)) -> Named<'_> {
    let value = match word {
        Word::Text(text) => NamedValue::Word(text),
        Word::Number(number) => NamedValue::Number(*number),
    };
    Named { name, value }
}

/// Gives each row its named features, or the first ones to all rows.
fn give_names<'a>(
    py: Python<'_>,
    rows: &mut [RawRow<'a>],
    names: &'a [Vec<Named<'a>>],
    for_all: bool,
) -> PyResult<()> {
    if !(for_all || names.is_empty() || names.len() == rows.len()) {
        let message = format!("{} rows and names for {} do not go together", rows.len(), names.len());
        return Err(raised(py, "rows", &message));
    }
    for (k, row) in rows.iter_mut().enumerate() {
        if let Some(names) = names.get(if for_all { 0 } else { k }) {
            row.named = names;
        }
    }
    Ok(())
}
