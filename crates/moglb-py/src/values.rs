//! Plain Python values as they are written in configurations.

use crate::errors::{kind_of, raised};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use serde_json::{Map, Number, Value};

/// Dictionaries, lists, text, numbers and booleans. `None` in a dictionary is as if it were not there.
pub(crate) fn value(name: &str, object: &Bound<'_, PyAny>) -> PyResult<Value> {
    let py = object.py();
    if let Ok(flag) = object.cast::<PyBool>() {
        return Ok(Value::Bool(flag.is_true()));
    }
    if let Ok(text) = object.cast::<PyString>() {
        return Ok(Value::String(text.to_cow()?.into_owned()));
    }
    if object.is_instance_of::<PyInt>() {
        return match (object.extract::<u64>(), object.extract::<i64>()) {
            (Ok(number), _) => Ok(number.into()),
            (_, Ok(number)) => Ok(number.into()),
            _ => Err(raised(py, "parameters", &format!("{name} must be a number of 64 bits"))),
        };
    }
    if object.is_instance_of::<PyFloat>() {
        return float(name, object.extract()?, py);
    }
    if let Ok(table) = object.cast::<PyDict>() {
        let mut map = Map::new();
        for (key, item) in table.iter() {
            let key = key.cast::<PyString>().map_err(|_| not_a_value(name, &key))?.to_cow()?.into_owned();
            if !item.is_none() {
                let item = value(&key, &item)?;
                map.insert(key, item);
            }
        }
        return Ok(Value::Object(map));
    }
    if object.is_instance_of::<PyList>() || object.is_instance_of::<PyTuple>() {
        let items = object.try_iter()?.map(|item| value(name, &item?));
        return Ok(Value::Array(items.collect::<PyResult<_>>()?));
    }
    // Numbers of NumPy and others that are not Python's own: whole ones first.
    if let Ok(index) = object.call_method0("__index__") {
        return value(name, &index);
    }
    match object.call_method0("__float__") {
        Ok(number) => float(name, number.extract()?, py),
        Err(_) => Err(not_a_value(name, object)),
    }
}

fn float(name: &str, number: f64, py: Python<'_>) -> PyResult<Value> {
    let message = || format!("{name} must be a finite number, got {number}");
    Number::from_f64(number).map(Value::Number).ok_or_else(|| raised(py, "parameters", &message()))
}

fn not_a_value(name: &str, object: &Bound<'_, PyAny>) -> PyErr {
    let kind = kind_of(object);
    let message = format!("{name} must be a number, text, a list or a dictionary, got {kind}");
    raised(object.py(), "input-type", &message)
}
