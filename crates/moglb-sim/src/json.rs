//! Configurations and parameters as JSON.
//!
//! They are numbers, text, lists, and tables whose keys are text, so that writing them cannot fail.

use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// Returns a configuration or its parameters as text.
pub(crate) fn text(of: &impl Serialize) -> String {
    serde_json::to_string(of).expect("numbers, text, lists and tables")
}

/// Returns a configuration or a part of it as a value.
pub(crate) fn value(of: &impl Serialize) -> Value {
    serde_json::to_value(of).expect("numbers, text, lists and tables")
}

/// Returns the parameters of a configuration, which is a table, without its id.
pub(crate) fn params(of: &impl Serialize) -> BTreeMap<String, Value> {
    let Value::Object(fields) = value(of) else { panic!("a configuration is a table") };
    fields.into_iter().filter(|(name, _)| name != "id").collect()
}
