//! Conversion of plain Python values to JSON, for configurations.
//!
//! Values come from callers, so they may be hostile: lists and dictionaries may contain themselves, and a
//! method may return its own object. So nesting and size are bounded, and containers are read directly, not
//! through methods that a subclass may replace.

use crate::errors::{kind_of, raised, shown};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Number, Value};

/// The largest number of containers inside each other. Configurations have fewer than ten.
const DEPTH: usize = 32;

/// The largest number of values in one configuration, where 16 bytes of text count as one value. It is enough
/// for the covariance of 4000 coefficients, and small enough to stop at lists that contain the same list many
/// times.
const SIZE: usize = 1 << 24;

/// Converts dictionaries, lists, text, numbers and booleans to JSON. Entries of a dictionary that are `None`
/// are left out. `name` is the name of the value in error messages.
///
/// # Errors
///
/// `input-type` for other types, nesting that is too deep and text with surrogates. `parameters` for NaN,
/// infinities, whole numbers of more than 64 bits, and too many values.
pub(crate) fn value(name: &str, object: &Bound<'_, PyAny>) -> PyResult<Value> {
    Reader { left: SIZE }.value(name, object, 0)
}

/// Converts a Python value to a configuration of the engine. Unknown and missing parameters are errors of
/// `serde`, raised with the code `parameters`.
pub(crate) fn config<T: DeserializeOwned>(name: &str, object: &Bound<'_, PyAny>) -> PyResult<T> {
    config_of(object.py(), value(name, object)?)
}

/// Converts JSON to a configuration of the engine.
pub(crate) fn config_of<T: DeserializeOwned>(py: Python<'_>, value: Value) -> PyResult<T> {
    serde_json::from_value(value).map_err(|error| raised(py, "parameters", &error.to_string()))
}

/// Returns a value of the engine as JSON: numbers, text, lists, and tables whose keys are text, so that
/// writing it cannot fail.
pub(crate) fn written(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("numbers, text, lists and tables")
}

/// The conversion of one configuration.
struct Reader {
    /// The number of values that may still follow.
    left: usize,
}

impl Reader {
    /// Converts one value that is inside of `depth` containers.
    fn value(&mut self, name: &str, object: &Bound<'_, PyAny>, depth: usize) -> PyResult<Value> {
        let py = object.py();
        self.count(py, name, 1)?;
        if let Ok(flag) = object.cast::<PyBool>() {
            return Ok(Value::Bool(flag.is_true()));
        }
        if let Ok(text) = object.cast::<PyString>() {
            let text = text_of(name, text)?;
            self.count(py, name, text.len() / 16)?;
            return Ok(Value::String(text));
        }
        if let Ok(number) = object.cast::<PyInt>() {
            return whole(name, number);
        }
        if let Ok(number) = object.cast::<PyFloat>() {
            return float(name, number.value(), py);
        }
        if let Ok(table) = object.cast::<PyDict>() {
            return self.table(name, table, deeper(name, object, depth)?);
        }
        if let Ok(list) = object.cast::<PyList>() {
            return self.list(name, list.iter(), deeper(name, object, depth)?);
        }
        if let Ok(list) = object.cast::<PyTuple>() {
            return self.list(name, list.iter(), deeper(name, object, depth)?);
        }
        number(name, object)
    }

    /// Converts a dictionary whose keys are text. Each entry is named by its key in error messages.
    fn table(&mut self, name: &str, table: &Bound<'_, PyDict>, depth: usize) -> PyResult<Value> {
        let mut map = Map::new();
        // A copy of the items: the methods called below may change the dictionary.
        for item in table.items().iter() {
            let (key, item) = item.extract::<(Bound<'_, PyAny>, Bound<'_, PyAny>)>()?;
            let key = text_of(name, key.cast::<PyString>().map_err(|_| not_a_value(name, &key))?)?;
            self.count(table.py(), name, key.len() / 16)?;
            if !item.is_none() {
                let item = self.value(&key, &item, depth)?;
                map.insert(key, item);
            }
        }
        Ok(Value::Object(map))
    }

    /// Converts the items of a list or a tuple.
    fn list<'py>(
        &mut self,
        name: &str,
        items: impl Iterator<Item = Bound<'py, PyAny>>,
        depth: usize,
    ) -> PyResult<Value> {
        Ok(Value::Array(items.map(|item| self.value(name, &item, depth)).collect::<PyResult<_>>()?))
    }

    /// Counts values, and refuses more than [`SIZE`].
    fn count(&mut self, py: Python<'_>, name: &str, values: usize) -> PyResult<()> {
        let message = || format!("{} must hold at most {SIZE} values", shown(name));
        self.left = self.left.checked_sub(values).ok_or_else(|| raised(py, "parameters", &message()))?;
        Ok(())
    }
}

/// The depth of the items of a container at `depth`; refuses more than [`DEPTH`].
fn deeper(name: &str, object: &Bound<'_, PyAny>, depth: usize) -> PyResult<usize> {
    if depth < DEPTH {
        return Ok(depth + 1);
    }
    let message = format!("{} must be nested at most {DEPTH} deep", shown(name));
    Err(raised(object.py(), "input-type", &message))
}

/// Converts text. Text with surrogates, which are not characters, is refused.
pub(crate) fn text_of(name: &str, text: &Bound<'_, PyString>) -> PyResult<String> {
    let message = || format!("{} must be text that can be written as UTF-8", shown(name));
    text.to_cow().map(|text| text.into_owned()).map_err(|_| raised(text.py(), "input-type", &message()))
}

/// Converts a whole number of Python, signed or unsigned, that fits into 64 bits.
fn whole(name: &str, number: &Bound<'_, PyInt>) -> PyResult<Value> {
    match (number.extract::<u64>(), number.extract::<i64>()) {
        (Ok(number), _) => Ok(number.into()),
        (_, Ok(number)) => Ok(number.into()),
        _ => Err(raised(number.py(), "parameters", &format!("{} must be a number of 64 bits", shown(name)))),
    }
}

/// Converts a number that is not Python's own type, such as one of NumPy: to a whole number if it has
/// `__index__`, otherwise by `__float__`.
fn number(name: &str, object: &Bound<'_, PyAny>) -> PyResult<Value> {
    if let Some(index) = converted(object, "__index__")? {
        return whole(name, index.cast::<PyInt>().map_err(|_| not_a_value(name, object))?);
    }
    match converted(object, "__float__")? {
        Some(number) => {
            let number = number.cast::<PyFloat>().map_err(|_| not_a_value(name, object))?.value();
            float(name, number, object.py())
        }
        None => Err(not_a_value(name, object)),
    }
}

/// Calls a method without arguments. Returns none if the type has no such method or if it raises a
/// `TypeError`, which means that it does not apply to this object. Other exceptions are passed on.
fn converted<'py>(object: &Bound<'py, PyAny>, method: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
    // The method of the type, not of the instance: Python looks up special methods in the same way.
    let Some(known) = object.get_type().getattr_opt(method)? else { return Ok(None) };
    match known.call1((object,)) {
        Err(error) if error.is_instance_of::<PyTypeError>(object.py()) => Ok(None),
        answer => answer.map(Some),
    }
}

/// Converts a floating-point number; refuses NaN and infinities, which JSON does not have.
fn float(name: &str, number: f64, py: Python<'_>) -> PyResult<Value> {
    let message = || format!("{} must be a finite number, got {number}", shown(name));
    Number::from_f64(number).map(Value::Number).ok_or_else(|| raised(py, "parameters", &message()))
}

/// The error for an object of a type that configurations do not have.
fn not_a_value(name: &str, object: &Bound<'_, PyAny>) -> PyErr {
    let kind = kind_of(object);
    let message = format!("{} must be a number, text, a list or a dictionary, got {kind}", shown(name));
    raised(object.py(), "input-type", &message)
}
