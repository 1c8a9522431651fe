//! Conversion of keyword arguments to command-line options.

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyList, PyTuple};

/// Converts keyword arguments to command-line options: `node_memory=2` is `--node-memory=2`,
/// `strict=True` is `--strict`. A list gives an option several times, a dictionary several times
/// with `KEY=VALUE`; None and False omit it.
pub(crate) fn to_arguments(options: Option<&Bound<'_, PyDict>>) -> PyResult<Vec<String>> {
    let mut words = Vec::new();
    for (name, value) in options.into_iter().flatten() {
        let name = format!("--{}", name.extract::<String>()?.replace('_', "-"));
        if value.is_none() {
            continue;
        }
        if let Ok(flag) = value.cast::<PyBool>() {
            words.extend(flag.is_true().then_some(name));
        } else if let Ok(number) = value.cast::<PyFloat>() {
            // The number is formatted without an exponent, which some options do not accept.
            words.push(format!("{name}={}", number.value()));
        } else if let Ok(pairs) = value.cast::<PyDict>() {
            for (key, value) in pairs {
                words.push(format!("{name}={}={}", key.str()?, value.str()?));
            }
        } else if value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() {
            for value in value.try_iter()? {
                words.push(format!("{name}={}", value?.str()?));
            }
        } else {
            words.push(format!("{name}={}", value.str()?));
        }
    }
    Ok(words)
}
